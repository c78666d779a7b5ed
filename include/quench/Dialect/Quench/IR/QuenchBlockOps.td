//===- QuenchBlockOps.td - destination-style ops on blocks of rows ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHBLOCKOPS_TD
#define QUENCH_DIALECT_QUENCH_IR_QUENCHBLOCKOPS_TD

include "quench/Dialect/Quench/IR/QuenchModelOps.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/TilingInterface.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"

// Tiling and bufferization come from the maps (lib/Dialect/Quench/IR/BlockOpInterface.cpp).
class Quench_BlockOp<string mnemonic, list<Trait> traits = []> : Quench_Op<mnemonic, traits # [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<Quench_BlockOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TilingInterface, ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
        "getResultTilePosition", "generateResultTileValue", "getIterationDomainTileFromResultTile"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface, ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues", "bufferize"]>]> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{ ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); } }];
}
// An op whose scalars depend on where its tile lies in the domain.
class Quench_PlacedBlockOp<string mnemonic> : Quench_BlockOp<mnemonic> {
  code classDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    void placeTile(::mlir::OpBuilder &builder, ::mlir::Operation *tile, ::llvm::ArrayRef<::mlir::OpFoldResult> offsets);
  }];
  let extraClassDeclaration = classDeclaration;
}
// A tensor before bufferization, a buffer after.
def Quench_Block : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "ranked tensor or memref", "::mlir::ShapedType">;
// Destinations are written, never read.
def Quench_Outs : Variadic<Quench_Block>;

def Quench_BlockMatmulOp : Quench_BlockOp<"block_matmul", [AttrSizedOperandSegments]> {
  let summary = "packed weights times rows: the inner tile";
  let description = [{
    Domain: (rows m, groups g of 8 output features). `weights` is a weight in layout
    `rows<8>`, `G x B x bytes x i8` or `G x K x 8 x float`; `acts` is `M x K` i8 with `scales` and
    `sums` `M x K/32`, or `M x K` f32 without; the destination is `M x 8*G` f32.
    Numbers as `quench.linear` says.
  }];
  let arguments = (ins Quench_Block:$weights, Quench_Block:$acts, Optional<Quench_Block>:$scales, Optional<Quench_Block>:$sums, Quench_Outs:$outputs, Quench_FormatInterface:$format);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $format `weights` `(` $weights `:` type($weights) `)` `acts` `(` $acts `:` type($acts) `)`
    (`scales` `(` $scales^ `:` type($scales) `)` `sums` `(` $sums `:` type($sums) `)`)? `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
}

def Quench_BlockEmbeddingOp : Quench_BlockOp<"block_embedding"> {
  let summary = "rows of a packed weight by token id";
  let description = [{
    Domain: (rows m). `weights` in layout `rows<8>`; the destination is `M x K` f32. `rows` is the number of
    rows of the weight, which the layout rounds up to a multiple of 8; ids are clamped to it.
  }];
  let arguments = (ins Quench_Block:$weights, Quench_Block:$ids, Quench_Outs:$outputs, I64Attr:$rows, Quench_FormatInterface:$format);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $format `weights` `(` $weights `:` type($weights) `)` `rows` `(` $rows `)` `ids` `(` $ids `:` type($ids) `)` `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
}

def Quench_BlockNormOp : Quench_BlockOp<"block_norm", [AttrSizedOperandSegments]> {
  let summary = "normalisation of rows";
  let description = [{
    Domain: (rows m). `x` and the destination are `M x G*K` f32, `weight` and `bias` `K` f32.
    Numbers as `quench.rms_norm` and `quench.layer_norm` say.
  }];
  let arguments = (ins Quench_NormKindAttr:$kind, Quench_Block:$x, Quench_Block:$weight, Optional<Quench_Block>:$bias, Quench_Outs:$outputs, F32Attr:$eps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    custom<Keyword>($kind) `eps` `(` $eps `)` `ins` `(` $x `,` $weight `:` type($x) `,` type($weight) `)` (`bias` `(` $bias^ `:` type($bias) `)`)? `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
}

def Quench_BlockQuantizeOp : Quench_BlockOp<"block_quantize"> {
  let summary = "rows as 8-bit integers in blocks of 32";
  let description = [{
    Domain: (rows m, blocks b). Destinations: codes `M x 32*B` i8, scales and sums `M x B` f32.
    Numbers as `quench.quantize` says.
  }];
  let arguments = (ins Quench_Block:$x, Quench_Outs:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "`ins` `(` $x `:` type($x) `)` `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?";
}

def Quench_BlockRopeTableOp : Quench_BlockOp<"block_rope_table"> {
  let summary = "cosines and sines of positions";
  let description = [{ Domain: (rows m). The destination is `M x 2*h` f32: the cosines of the h angles, then the sines. }];
  let arguments = (ins Quench_Block:$positions, Quench_Outs:$outputs, DenseF32ArrayAttr:$inv_freq);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "`ins` `(` $positions `:` type($positions) `)` `inv_freq` `(` custom<ExactFloats>($inv_freq) `)` `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?";
}

def Quench_BlockRopeOp : Quench_BlockOp<"block_rope"> {
  let summary = "rotates heads by a table";
  let description = [{ Domain: (rows m). `x` and the destination are `M x heads*dim` f32, `table` `M x 2*h` f32. }];
  let arguments = (ins Quench_RopeStyleAttr:$style, Quench_Block:$x, Quench_Block:$table, Quench_Outs:$outputs, I64Attr:$dim);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "custom<Keyword>($style) `dim` `(` $dim `)` `ins` `(` $x `,` $table `:` type($x) `,` type($table) `)` `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?";
}

def Quench_BlockAppendOp : Quench_BlockOp<"block_append"> {
  let summary = "stores keys and values in a cache";
  let description = [{
    Domain: (rows m). `keys` and `values` are `M x heads*dim` f32, rounded to the cache's element type.
    A row whose position lies beyond the cache's capacity is not stored.
  }];
  let arguments = (ins Quench_Block:$keys, Quench_Block:$values, Quench_Block:$positions, Quench_AnyCache:$cache, Index:$layer, Quench_Outs:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $keys `,` $values `,` $positions `:` type($keys) `,` type($values) `,` type($positions) `)` `cache` `(` $cache `layer` $layer `:` type($cache) `)`
    (`outs` `(` $outputs^ `:` type($outputs) `)`)? attr-dict (`->` type($results)^)?
  }];
}

def Quench_BlockAttendOp : Quench_PlacedBlockOp<"block_attend"> {
  let summary = "attention of query heads over a cache";
  let description = [{
    Domain: (rows m, query heads h). `query` and the destination are `M x dim*H` f32. `first_head` is the index of
    the first query head in this block, `group` the number of query heads that share a cache head.
    `window` as in `quench.attention`.
  }];
  let arguments = (ins Quench_Block:$query, Quench_Block:$positions, Quench_AnyCache:$cache, Index:$layer, Index:$first_head, Quench_Outs:$outputs, I64Attr:$group, F32Attr:$scale, OptionalAttr<I64Attr>:$window);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $query `,` $positions `:` type($query) `,` type($positions) `)` `cache` `(` $cache `layer` $layer `:` type($cache) `)`
    `heads` `(` $first_head `group` $group `)` `scale` `(` $scale `)` (`window` `(` $window^ `)`)? `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
}

def Quench_BlockArgmaxOp : Quench_PlacedBlockOp<"block_argmax"> {
  let summary = "best column of each segment of each row";
  let description = [{
    Domain: (rows m, segments p). `x` is `M x segment*P` f32; destinations are the best
    value `M x P` f32 and its column plus `origin` `M x P` i32, lowest column first.
  }];
  let arguments = (ins Quench_Block:$x, Index:$origin, Quench_Outs:$outputs, I64Attr:$segment);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $x `:` type($x) `)` `segment` `(` $segment `)` `origin` `(` $origin `)` `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
}

def Quench_BlockArgmaxMergeOp : Quench_BlockOp<"block_argmax_merge"> {
  let summary = "best of the segments of each row";
  let description = [{ Domain: (rows m). Inputs as `block_argmax` writes them; destinations are ids `M` i32 and values `M` f32. }];
  let arguments = (ins Quench_Block:$values, Quench_Block:$ids, Quench_Outs:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $values `,` $ids `:` type($values) `,` type($ids) `)` `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Weights and the host
//===----------------------------------------------------------------------===//

def Quench_PackedWeightOp : Quench_Op<"packed_weight", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface, ["bufferizesToAllocation", "getBufferType", "isWritable", "bufferize"]>]> {
  let summary = "a weight as the bytes of its layout";
  let description = [{
    The runtime packs each (weight, layout) once; kernels read it. Never written.
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight, Quench_LayoutInterface:$layout);
  let results = (outs Quench_Block:$result);
  let assemblyFormat = "$weight `layout` `(` $layout `)` attr-dict `:` type($result)";
}

def Quench_HostDraftOp : Quench_Op<"host_draft", [DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface, ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues", "bufferize"]>]> {
  let summary = "asks the runtime for candidates";
  let description = [{
    `outputs` are the candidates (i32, as many as the draft's bound) and their number (one i64), at most
    `limit` and never negative whatever the runtime answers. `source` is the name of a source that needs no model.
  }];
  let arguments = (ins Quench_Block:$pending, Index:$limit, Quench_Outs:$outputs, StrAttr:$source);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $source `ins` `(` $pending `:` type($pending) `)` `limit` `(` $limit `)` `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{ ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); } }];
  let hasVerifier = 1;
}

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHBLOCKOPS_TD
