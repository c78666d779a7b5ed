//===- QuenchModelOps.td - weights, linear layers, norms, rope, attention ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHMODELOPS_TD
#define QUENCH_DIALECT_QUENCH_IR_QUENCHMODELOPS_TD

include "quench/Dialect/Quench/IR/QuenchTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

class Quench_Op<string mnemonic, list<Trait> traits = []> : Op<Quench_Dialect, mnemonic, traits>;

def Quench_CacheResource : Resource<"::mlir::quench::CacheResource">;

// Rows are tokens: as many as there are; their width is part of the program.
def Quench_RowsTensor : Type<
    And<[2DTensorOf<[F32]>.predicate, CPred<"::llvm::cast<::mlir::ShapedType>($_self).getDimSize(1) > 0">]>,
    "2D tensor of f32 with a static number of columns", "::mlir::RankedTensorType">;
def Quench_IdTensor : 1DTensorOf<[I32]>;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

def Quench_WeightOp : Quench_Op<"weight", [Symbol]> {
  let summary = "declares a weight of the model";
  let description = [{
    The bytes live outside the IR, in the package, under `key`; `hash` is the hash
    of the canonical block bytes (xxh3-128, 32 hexadecimal digits; may be empty in
    IR written by hand).

    ```mlir
    quench.weight @blk0.attn_q {key = "blk.0.attn_q.weight", hash = "…"} : !quench.qtensor<576x576, #quench.q4_1>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Quench_AnyQTensor>:$type, StrAttr:$key,
                       DefaultValuedAttr<StrAttr, "\"\"">:$hash);
  let assemblyFormat = "$sym_name attr-dict `:` $type";
  let hasVerifier = 1;
}

def Quench_GetWeightOp : Quench_Op<"get_weight", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a declared weight";
  let description = [{
    The weight is a `quench.weight` of the nearest symbol table, and the type is the
    one declared there.

    ```mlir
    %w = quench.get_weight @blk0.attn_q : !quench.qtensor<576x576, #quench.q4_1>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs Quench_AnyQTensor:$result);
  let assemblyFormat = "$weight attr-dict `:` qualified(type($result))";
}

def Quench_SliceOp : Quench_Op<"slice", [Pure]> {
  let summary = "a range of a weight's rows";
  let description = [{
    Rows `[offset, offset + rows)` of a weight, where `rows` is the result's first
    dimension. Rows are whole blocks in every format, so this never cuts one. A
    slice of all rows folds to its operand, a slice of a slice to one slice. The
    elements of a weight of rank 1 count as its rows; there `offset` is a multiple of
    the block.

    ```mlir
    %k = quench.slice %qkv[576] : !quench.qtensor<960x576, #quench.q4_1> -> !quench.qtensor<192x576, #quench.q4_1>
    ```
  }];
  let arguments = (ins Quench_AnyQTensor:$source, I64Attr:$offset);
  let results = (outs Quench_AnyQTensor:$result);
  let assemblyFormat = "$source `[` $offset `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Quench_DequantizeOp : Quench_Op<"dequantize", [Pure]> {
  let summary = "a weight as f32";
  let description = [{
    Each element exactly as the format's public definition decodes it, in f32.

    ```mlir
    %f = quench.dequantize %w : !quench.qtensor<64, #quench.f32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Quench_AnyQTensor:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

def Quench_EmbeddingOp : Quench_Op<"embedding", [Pure]> {
  let summary = "rows of a weight by token id";
  let description = [{
    `result[t] = decode(weight[ids[t]])`, exactly. An id outside `[0, N)` is
    clamped into it, so that damaged input cannot read past the weight; callers
    check ids before.

    ```mlir
    %x = quench.embedding %ids, %w : tensor<?xi32>, !quench.qtensor<49152x576, #quench.q8_0> -> tensor<?x576xf32>
    ```
  }];
  let arguments = (ins Quench_IdTensor:$ids, Quench_AnyQTensor:$weight);
  let results = (outs Quench_RowsTensor:$result);
  let assemblyFormat = "$ids `,` $weight attr-dict `:` type($ids) `,` qualified(type($weight)) `->` type($result)";
  let hasVerifier = 1;
}

def Quench_LinearOp : Quench_Op<"linear", [Pure]> {
  let summary = "one or more quantized linear layers on the same rows";
  let description = [{
    For each weight `W` (`N x K`): `result[t, n] = sum over k of x[t, k] * W[n, k]`.

    `activations(f32)`: products of x with the exactly decoded weight, summed in
    f32 in ascending k with fused multiply-add where the target has it.

    `activations(i8)`: each row of x is quantized in blocks of 32 along k as
    `quench.quantize` says; within a block products of codes are summed exactly in
    integers; then for a block with weight scale d (and minimum m, weight = d*q + m)
    `acc = fma(float(isum), d * s, fma(m, z, acc))`, s the activation's scale and z its
    scaled sum, ascending blocks. The integer scales of 16 weights in a super-block take part in the
    exact sum (NUM-3 of the semantics). Weights in plain float formats are always
    multiplied with f32 activations.

    Several weights share one quantization of x and one distribution over threads
    (`quench-merge-linears` makes them from single ones).

    ```mlir
    %q, %k = quench.linear %x, %wq, %wk activations(i8)
        : tensor<?x576xf32>, !quench.qtensor<576x576, #quench.q4_1>, !quench.qtensor<192x576, #quench.q4_1>
       -> tensor<?x576xf32>, tensor<?x192xf32>
    ```
  }];
  let arguments = (ins Quench_RowsTensor:$input, Variadic<Quench_AnyQTensor>:$weights,
                       DefaultValuedAttr<Quench_ActivationsAttr, "::mlir::quench::Activations::F32">:$activations);
  let results = (outs Variadic<Quench_RowsTensor>:$outputs);
  let assemblyFormat = [{
    $input `,` $weights (`activations` `(` custom<Keyword>($activations)^ `)`)? attr-dict `:` type($input) `,` type($weights) `->` type($outputs)
  }];
  let hasVerifier = 1;
}

class Quench_NormBase<string mnemonic> : Quench_Op<mnemonic, [Pure, AllTypesMatch<["input", "result"]>]> {
  let results = (outs Quench_RowsTensor:$result);
  let hasVerifier = 1;
}

def Quench_RMSNormOp : Quench_NormBase<"rms_norm"> {
  let summary = "root-mean-square normalisation";
  let description = [{
    `result[t, k] = (x[t, k] * (1 / sqrt(mean_k(x[t, k]^2) + eps))) * weight[k]`, in f32. The
    sum of squares runs in 8 lanes over ascending k (a last partial group is filled
    with zeros), then ((0+4)+(2+6))+((1+5)+(3+7)).

    The weight may have fewer elements than a row, a divisor of them: then each group of
    so many neighbours is normalised by itself (the heads of queries and keys).

    ```mlir
    %h = quench.rms_norm %x, %w eps(1.0e-5) : tensor<?x576xf32>, !quench.qtensor<576, #quench.f32>
    %q = quench.rms_norm %y, %v eps(1.0e-5) : tensor<?x576xf32>, !quench.qtensor<64, #quench.f32>
    ```
  }];
  let arguments = (ins Quench_RowsTensor:$input, Quench_AnyQTensor:$weight, F32Attr:$eps);
  let assemblyFormat = "$input `,` $weight `eps` `(` $eps `)` attr-dict `:` type($input) `,` qualified(type($weight))";
}

def Quench_LayerNormOp : Quench_NormBase<"layer_norm"> {
  let summary = "layer normalisation";
  let description = [{
    `result[t, k] = ((x[t, k] - mean) * (1 / sqrt(mean_k((x[t, k] - mean)^2) + eps))) * weight[k] + bias[k]`,
    sums in the order of `quench.rms_norm`, groups as there. Without `bias` nothing is added.

    ```mlir
    %h = quench.layer_norm %x, %w bias(%b : !quench.qtensor<64, #quench.f32>) eps(1.0e-5)
        : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
    ```
  }];
  let arguments = (ins Quench_RowsTensor:$input, Quench_AnyQTensor:$weight, Optional<Quench_AnyQTensor>:$bias, F32Attr:$eps);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` qualified(type($bias)) `)`)? `eps` `(` $eps `)` attr-dict `:` type($input) `,` qualified(type($weight))
  }];
}

def Quench_RopeOp : Quench_Op<"rope", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "rotary position embedding";
  let description = [{
    x has heads of `dim` elements side by side. With the h elements of `inv_freq` and
    `a = f32(pos[t]) * inv_freq[i]` (rounded to f32), pair i of each head is rotated by a:
    `(u, v) -> (u*cos a - v*sin a, v*cos a + u*sin a)`. Pairs are elements `(2i, 2i+1)` with
    `adjacent` and `(i, i+h)` with `halves`; elements of a head from 2h on stay as they are.
    h is at most dim/2. Whoever builds the op folds base and scaling into `inv_freq`.

    cos and sin are within 1 ulp of f32 for positions below 2^24.

    ```mlir
    %r = quench.rope halves %q, %pos dim(4) inv_freq([1.0, 0.01]) : tensor<?x8xf32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins Quench_RowsTensor:$input, Quench_IdTensor:$positions, I64Attr:$dim, Quench_RopeStyleAttr:$style,
                       DenseF32ArrayAttr:$inv_freq);
  let results = (outs Quench_RowsTensor:$result);
  let assemblyFormat = [{
    custom<Keyword>($style) $input `,` $positions `dim` `(` $dim `)` `inv_freq` `(` custom<ExactFloats>($inv_freq) `)` attr-dict `:` type($input) `,` type($positions)
  }];
  let hasVerifier = 1;
}

def Quench_AttentionOp : Quench_Op<"attention", [AttrSizedOperandSegments, MemoryEffects<[MemRead<Quench_CacheResource>, MemWrite<Quench_CacheResource>]>]> {
  let summary = "append keys and values, then attend over the cache";
  let description = [{
    Row t belongs to position `positions[t]`. Its key and value are rounded to the
    cache's element type and stored at that position of layer `layer` first; then
    query head h, in group `h / (query heads / cache heads)`, attends to all positions up to and
    including its own, reading every one of them from the cache:
    softmax over `scale * q·k`, then the weighted sum of values, in f32.

    Positions are processed in chunks of one page in ascending order with a running
    maximum m and sum; `exp(0)` is exactly 1 and `exp(x)` is 0 for x <= -104. Chunks that lie
    wholly after the row's position are skipped.

    With `window(w)` the row attends to the last w positions up to and including its own
    and to none before; chunks that lie wholly before them are skipped, too.

    `sequences` (one index per row) and `mask` are for many sequences and
    token trees; a target that has no kernel for them says so.

    ```mlir
    %a = quench.attention %q, %k, %v, %pos cache(%kv layer %layer) scale(0.125)
        : tensor<?x576xf32>, tensor<?x192xf32>, tensor<?x192xf32>, tensor<?xi32>,
          !quench.paged_cache<layers = 30, heads = 3, dim = 64, element = f16, slots = 32> -> tensor<?x576xf32>
    %b = quench.attention %q, %k, %v, %pos cache(%kv layer %layer) scale(0.125) window(512)
        : tensor<?x576xf32>, tensor<?x192xf32>, tensor<?x192xf32>, tensor<?xi32>,
          !quench.paged_cache<layers = 30, heads = 3, dim = 64, element = f16, slots = 32> -> tensor<?x576xf32>
    ```
  }];
  let arguments = (ins Quench_RowsTensor:$query, Quench_RowsTensor:$key, Quench_RowsTensor:$value, Quench_IdTensor:$positions,
                       Arg<Quench_AnyCache, "", [MemRead, MemWrite]>:$cache, Index:$layer,
                       Optional<Quench_IdTensor>:$sequences, Optional<2DTensorOf<[I1]>>:$mask, F32Attr:$scale,
                       OptionalAttr<I64Attr>:$window);
  let results = (outs Quench_RowsTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $positions `cache` `(` $cache `layer` $layer `)`
    (`sequences` `(` $sequences^ `:` type($sequences) `)`)? (`mask` `(` $mask^ `:` type($mask) `)`)?
    `scale` `(` $scale `)` (`window` `(` $window^ `)`)? attr-dict `:` type($query) `,` type($key) `,` type($value) `,` type($positions) `,` type($cache) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Quench_QuantizeOp : Quench_Op<"quantize", [Pure]> {
  let summary = "rows as 8-bit integers with a scale for every 32 elements";
  let description = [{
    For each block of 32 along k: `s = amax / 127` with amax the largest magnitude;
    `q = roundeven(x * (127 / amax))`, 0 where amax is below 2^-100; `z = s * f32(sum of q)`. All in f32.
    A block with a NaN or an infinity has an unspecified code and a NaN or infinite scale.

    ```mlir
    %q, %s, %z = quench.quantize %x : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
    ```
  }];
  let arguments = (ins Quench_RowsTensor:$input);
  let results = (outs 2DTensorOf<[I8]>:$codes, Quench_RowsTensor:$scales, Quench_RowsTensor:$sums);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($codes) `,` type($scales) `,` type($sums)";
  let hasVerifier = 1;
}

def Quench_ArgmaxOp : Quench_Op<"argmax", [Pure]> {
  let summary = "best column of each row";
  let description = [{
    The lowest index among the largest values of a row, and that value. NaN never
    wins; a row of NaN gives index 0 and -inf.

    ```mlir
    %ids, %best = quench.argmax %logits : tensor<?x49152xf32> -> tensor<?xi32>, tensor<?xf32>
    ```
  }];
  let arguments = (ins Quench_RowsTensor:$input);
  let results = (outs Quench_IdTensor:$ids, 1DTensorOf<[F32]>:$values);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($ids) `,` type($values)";
  let hasVerifier = 1;
}

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHMODELOPS_TD
