//===- Passes.td - passes on the quench dialect ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_TD
#define QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuenchJoinDraft : Pass<"quench-join-draft", "::mlir::ModuleOp"> {
  let summary = "Makes the nested module @draft part of the program";
  let description = [{
    Symbols, entry points and keys of weights of the draft model get the prefix
    `draft.`, its caches the name `draft` (`quench.cache` on arguments), so that they differ from
    the program's own. An existing `@round` is removed, since it knows nothing of the draft.
    `quench.max_rows` becomes the smaller of the two.

    ```mlir
    // quench-opt --quench-join-draft
    !large = !quench.paged_cache<layers = 4, heads = 2, dim = 16, element = f16, slots = 32>
    !small = !quench.paged_cache<layers = 1, heads = 2, dim = 16, element = f16, slots = 32>

    module attributes {quench.max_rows = 16 : i64} {
      quench.weight @w {key = "w"} : !quench.qtensor<64x32, #quench.q4_1>
      func.func @prefill(%tokens: tensor<?xi32>, %kv: !large) attributes {quench.entry} {
        return
      }
      module @draft attributes {quench.max_rows = 8 : i64} {
        quench.weight @w {key = "w"} : !quench.qtensor<32x32, #quench.q4_1>
        func.func @prefill(%tokens: tensor<?xi32>, %kv: !small) attributes {quench.entry} {
          return
        }
      }
    }
    ```
    becomes
    ```mlir
    !large = !quench.paged_cache<layers = 4, heads = 2, dim = 16, element = f16, slots = 32>
    !small = !quench.paged_cache<layers = 1, heads = 2, dim = 16, element = f16, slots = 32>

    module attributes {quench.max_rows = 8 : i64} {
      quench.weight @w {key = "w"} : !quench.qtensor<64x32, #quench.q4_1>
      func.func @prefill(%tokens: tensor<?xi32>, %kv: !large) attributes {quench.entry} {
        return
      }
      quench.weight @draft.w {key = "draft.w"} : !quench.qtensor<32x32, #quench.q4_1>
      func.func @draft.prefill(%tokens: tensor<?xi32>, %kv: !small {quench.cache = "draft"}) attributes {quench.entry} {
        return
      }
    }
    ```
  }];
}

def QuenchAddSpeculation : Pass<"quench-add-speculation", "::mlir::ModuleOp"> {
  let summary = "Adds the entry point @round: one draft and one verify";
  let description = [{
    Takes the body of the entry point `@logits` as the region of a
    `quench.verify` with the greedy rule, puts a `quench.draft` before it, and
    leaves an existing `@round` alone. `@logits` takes tokens and one cache, gives the
    logits of each token, and takes positions and commits at its top level only. With
    `source=model` the body of `@draft.logits` (see quench-join-draft) becomes the region
    of the draft, and its cache another argument.

    ```mlir
    // quench-opt --quench-add-speculation
    !cache = !quench.paged_cache<layers = 1, heads = 2, dim = 16, element = f16, slots = 32>

    func.func @logits(%tokens: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> attributes {quench.entry} {
      %length = quench.cache_length %kv : !cache
      %e = quench.get_weight @embedding : !quench.qtensor<64x32, #quench.q8_0>
      %x = quench.embedding %tokens, %e : tensor<?xi32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x32xf32>
      %logits = quench.linear %x, %e : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x64xf32>
      %c0 = arith.constant 0 : index
      %count = tensor.dim %tokens, %c0 : tensor<?xi32>
      %new = arith.addi %length, %count : index
      quench.cache_commit %kv, %new : !cache
      return %logits : tensor<?x64xf32>
    }
    quench.weight @embedding {key = "embedding"} : !quench.qtensor<64x32, #quench.q8_0>
    ```
    becomes
    ```mlir
    !cache = !quench.paged_cache<layers = 1, heads = 2, dim = 16, element = f16, slots = 32>

    func.func @logits(%tokens: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> attributes {quench.entry} {
      %length = quench.cache_length %kv : !cache
      %e = quench.get_weight @embedding : !quench.qtensor<64x32, #quench.q8_0>
      %x = quench.embedding %tokens, %e : tensor<?xi32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x32xf32>
      %logits = quench.linear %x, %e : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x64xf32>
      %c0 = arith.constant 0 : index
      %count = tensor.dim %tokens, %c0 : tensor<?xi32>
      %new = arith.addi %length, %count : index
      quench.cache_commit %kv, %new : !cache
      return %logits : tensor<?x64xf32>
    }
    func.func @round(%pending: tensor<?xi32>, %limit: index, %kv: !cache)
        -> (tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>) attributes {quench.entry} {
      %candidates = quench.draft source(#quench.lookup) %pending limit(%limit : max 7) : tensor<?xi32> -> tensor<?xi32>
      %r:4 = quench.verify %pending, %candidates rule(#quench.greedy) caches(%kv : !cache) {
      ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
        %length = quench.cache_length %kv : !cache
        %e = quench.get_weight @embedding : !quench.qtensor<64x32, #quench.q8_0>
        %x = quench.embedding %tokens, %e : tensor<?xi32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x32xf32>
        %logits = quench.linear %x, %e : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x64xf32>
        %c0 = arith.constant 0 : index
        %count = tensor.dim %tokens, %c0 : tensor<?xi32>
        %new = arith.addi %length, %count : index
        quench.yield %logits : tensor<?x64xf32>
      } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
      return %r#0, %r#1, %r#2, %r#3 : tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
    }
    quench.weight @embedding {key = "embedding"} : !quench.qtensor<64x32, #quench.q8_0>
    ```
  }];
  let options = [
    Option<"source", "source", "std::string", "\"lookup\"", "Where candidates come from: lookup, or model (@draft.logits)">,
    Option<"max", "max", "int64_t", "7", "Most candidates of a round, 1 to 7">,
  ];
}

def QuenchAddTrace : Pass<"quench-add-trace", "::mlir::ModuleOp"> {
  let summary = "Makes @trace, which returns what each layer computed, the only entry point";
  let description = [{
    `@trace` does what `@logits` does and returns, in order, the rows (`tensor<?xNxf32>`) that come out of
    each model op and of each call, with their names as `quench.name` on the results. Functions that call others are
    followed into; the others, the layers, are called as they are, so that
    their code is that of `@logits`. A name is that of the op's location (`blk.0`), or else the callee's or the op's.

    ```mlir
    // quench-opt --quench-add-trace --symbol-dce
    !cache = !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f32, slots = 8>

    func.func private @block(%x: tensor<?x8xf32>, %kv: !cache) -> tensor<?x8xf32> {
      return %x : tensor<?x8xf32>
    }
    func.func private @trunk(%x: tensor<?x8xf32>, %kv: !cache) -> tensor<?x8xf32> {
      %0 = call @block(%x, %kv) : (tensor<?x8xf32>, !cache) -> tensor<?x8xf32>
      %1 = call @block(%0, %kv) : (tensor<?x8xf32>, !cache) -> tensor<?x8xf32>
      return %1 : tensor<?x8xf32>
    }
    quench.weight @embd {key = "embd"} : !quench.qtensor<64x8, #quench.f32>
    func.func @logits(%tokens: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> attributes {quench.entry} {
      %w = quench.get_weight @embd : !quench.qtensor<64x8, #quench.f32>
      %x = quench.embedding %tokens, %w : tensor<?xi32>, !quench.qtensor<64x8, #quench.f32> -> tensor<?x8xf32>
      %y = call @trunk(%x, %kv) : (tensor<?x8xf32>, !cache) -> tensor<?x8xf32>
      %l = quench.linear %y, %w activations(f32) : tensor<?x8xf32>, !quench.qtensor<64x8, #quench.f32> -> tensor<?x64xf32>
      return %l : tensor<?x64xf32>
    }
    ```
    becomes
    ```mlir
    !cache = !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f32, slots = 8>

    func.func private @block(%x: tensor<?x8xf32>, %kv: !cache) -> tensor<?x8xf32> {
      return %x : tensor<?x8xf32>
    }
    func.func private @trace.trunk(%x: tensor<?x8xf32>, %kv: !cache) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
      %0 = call @block(%x, %kv) : (tensor<?x8xf32>, !cache) -> tensor<?x8xf32>
      %1 = call @block(%0, %kv) : (tensor<?x8xf32>, !cache) -> tensor<?x8xf32>
      return %1, %0 : tensor<?x8xf32>, tensor<?x8xf32>
    }
    quench.weight @embd {key = "embd"} : !quench.qtensor<64x8, #quench.f32>
    func.func @trace(%tokens: tensor<?xi32>, %kv: !cache) -> (tensor<?x8xf32> {quench.name = "embedding"}, tensor<?x8xf32> {quench.name = "block"},
        tensor<?x8xf32> {quench.name = "block.1"}, tensor<?x64xf32> {quench.name = "linear"}) attributes {quench.entry} {
      %w = quench.get_weight @embd : !quench.qtensor<64x8, #quench.f32>
      %x = quench.embedding %tokens, %w : tensor<?xi32>, !quench.qtensor<64x8, #quench.f32> -> tensor<?x8xf32>
      %y:2 = call @trace.trunk(%x, %kv) : (tensor<?x8xf32>, !cache) -> (tensor<?x8xf32>, tensor<?x8xf32>)
      %l = quench.linear %y#0, %w activations(f32) : tensor<?x8xf32>, !quench.qtensor<64x8, #quench.f32> -> tensor<?x64xf32>
      return %x, %y#1, %y#0, %l : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x64xf32>
    }
    ```
  }];
}

def QuenchFuseAcceptance : Pass<"quench-fuse-acceptance", "::mlir::ModuleOp"> {
  let summary = "Yields best ids instead of logits where the rule needs no more";
  let description = [{
    In a `quench.verify` whose rule needs only the best id of a row, and in a `quench.draft`, puts a
    `quench.argmax` before the yield, where it later fuses into the head's tiles:
    logits of a step never exist in memory.

    ```mlir
    // quench-opt --quench-fuse-acceptance
    !cache = !quench.paged_cache<layers = 1, heads = 2, dim = 16, element = f16, slots = 32>

    func.func @round(%pending: tensor<?xi32>, %candidates: tensor<?xi32>, %kv: !cache, %e: !quench.qtensor<64x32, #quench.q8_0>) -> index {
      %r:4 = quench.verify %pending, %candidates rule(#quench.greedy) caches(%kv : !cache) {
      ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
        %x = quench.embedding %tokens, %e : tensor<?xi32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x32xf32>
        %logits = quench.linear %x, %e : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x64xf32>
        quench.yield %logits : tensor<?x64xf32>
      } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
      return %r#2 : index
    }
    ```
    becomes
    ```mlir
    !cache = !quench.paged_cache<layers = 1, heads = 2, dim = 16, element = f16, slots = 32>

    func.func @round(%pending: tensor<?xi32>, %candidates: tensor<?xi32>, %kv: !cache, %e: !quench.qtensor<64x32, #quench.q8_0>) -> index {
      %r:4 = quench.verify %pending, %candidates rule(#quench.greedy) caches(%kv : !cache) {
      ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
        %x = quench.embedding %tokens, %e : tensor<?xi32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x32xf32>
        %logits = quench.linear %x, %e : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x64xf32>
        %ids, %best = quench.argmax %logits : tensor<?x64xf32> -> tensor<?xi32>, tensor<?xf32>
        quench.yield %ids, %best : tensor<?xi32>, tensor<?xf32>
      } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
      return %r#2 : index
    }
    ```
  }];
}

def QuenchMergeLinears : Pass<"quench-merge-linears", "::mlir::func::FuncOp"> {
  let summary = "Merges linear layers that read the same rows (Q, K and V; gate and up)";
  let description = [{
    They share one quantization of their input, and their tiles one
    distribution over threads. Formats may differ, attributes may not. The merged op
    stands where the first of them stood; one whose weight comes later stays apart.

    ```mlir
    // quench-opt --quench-merge-linears
    func.func @gate_up(%x: tensor<?x32xf32>, %wg: !quench.qtensor<64x32, #quench.q4_1>, %wu: !quench.qtensor<64x32, #quench.q8_0>)
        -> (tensor<?x64xf32>, tensor<?x64xf32>) {
      %gate = quench.linear %x, %wg activations(i8) : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
      %up = quench.linear %x, %wu activations(i8) : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x64xf32>
      return %gate, %up : tensor<?x64xf32>, tensor<?x64xf32>
    }
    ```
    becomes
    ```mlir
    func.func @gate_up(%x: tensor<?x32xf32>, %wg: !quench.qtensor<64x32, #quench.q4_1>, %wu: !quench.qtensor<64x32, #quench.q8_0>)
        -> (tensor<?x64xf32>, tensor<?x64xf32>) {
      %gate, %up = quench.linear %x, %wg, %wu activations(i8)
        : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x64xf32>, tensor<?x64xf32>
      return %gate, %up : tensor<?x64xf32>, tensor<?x64xf32>
    }
    ```
  }];
}

def QuenchAssignLayout : Pass<"quench-assign-layout", "::mlir::ModuleOp"> {
  let summary = "Chooses the layout in which each op reads its weights";
  let description = [{
    Records `quench.layout` on every op with a weight: `#quench.rows<8>` on linear
    and embedding, `#quench.plain` elsewhere. A format without a kernel in that
    layout is an error that names the weight and what is supported. An attribute
    that is already there is kept.

    ```mlir
    // quench-opt --quench-assign-layout
    func.func @project(%x: tensor<?x32xf32>, %n: !quench.qtensor<32, #quench.f32>, %w: !quench.qtensor<64x32, #quench.q4_1>)
        -> tensor<?x64xf32> {
      %y = quench.rms_norm %x, %n eps(1.0e-5) : tensor<?x32xf32>, !quench.qtensor<32, #quench.f32>
      %z = quench.linear %y, %w : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
      return %z : tensor<?x64xf32>
    }
    ```
    becomes
    ```mlir
    func.func @project(%x: tensor<?x32xf32>, %n: !quench.qtensor<32, #quench.f32>, %w: !quench.qtensor<64x32, #quench.q4_1>)
        -> tensor<?x64xf32> {
      %y = quench.rms_norm %x, %n eps(1.0e-5) {quench.layout = #quench.plain} : tensor<?x32xf32>, !quench.qtensor<32, #quench.f32>
      %z = quench.linear %y, %w {quench.layout = #quench.rows<8>}
        : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
      return %z : tensor<?x64xf32>
    }
    ```
  }];
}

def QuenchLowerSpeculation : Pass<"quench-lower-speculation", "::mlir::ModuleOp"> {
  let summary = "Turns draft and verify into tensor code around a host call";
  let description = [{
    A `lookup` draft becomes `quench.host_draft`, that of a model a loop over its region. A
    verify becomes its region on the concatenated rows, a loop that counts accepted
    candidates, and the commits.
    `quench.positions` becomes the cache's length counted up. Supported is the rule
    `greedy`, after quench-fuse-acceptance.

    ```mlir
    // quench-opt --quench-lower-speculation --canonicalize
    !cache = !quench.paged_cache<layers = 1, heads = 2, dim = 16, element = f16, slots = 32>

    func.func @draft(%pending: tensor<?xi32>, %limit: index) -> tensor<?xi32> {
      %c = quench.draft source(#quench.lookup) %pending limit(%limit : max 7) : tensor<?xi32> -> tensor<?xi32>
      return %c : tensor<?xi32>
    }
    ```
    becomes
    ```mlir
    func.func @draft(%pending: tensor<?xi32>, %limit: index) -> tensor<?xi32> {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %ids = tensor.empty() : tensor<7xi32>
      %counter = tensor.empty() : tensor<1xi64>
      %most = arith.minui %limit, %c7 : index
      %r:2 = quench.host_draft "lookup" ins(%pending : tensor<?xi32>) limit(%most) outs(%ids, %counter : tensor<7xi32>, tensor<1xi64>)
        -> tensor<7xi32>, tensor<1xi64>
      %0 = tensor.extract %r#1[%c0] : tensor<1xi64>
      %count = arith.index_cast %0 : i64 to index
      %c = tensor.extract_slice %r#0[0] [%count] [1] : tensor<7xi32> to tensor<?xi32>
      return %c : tensor<?xi32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::linalg::LinalgDialect"];
}

def QuenchMaterializeLayout : Pass<"quench-materialize-layout", "::mlir::ModuleOp"> {
  let summary = "Turns weights into packed tensors and model ops into block ops";
  let description = [{
    Follows `quench.layout` through calls: a qtensor argument becomes an argument of
    the packed type. After it no `!quench.qtensor` value and no model op is left.

    ```mlir
    // quench-opt --quench-materialize-layout --canonicalize --cse
    quench.weight @w {key = "w"} : !quench.qtensor<64x32, #quench.q4_1>
    func.func @project(%x: tensor<?x32xf32>) -> tensor<?x64xf32> {
      %w = quench.get_weight @w : !quench.qtensor<64x32, #quench.q4_1>
      %y = quench.linear %x, %w activations(i8) {quench.layout = #quench.rows<8>}
        : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
    becomes
    ```mlir
    quench.weight @w {key = "w"} : !quench.qtensor<64x32, #quench.q4_1>
    func.func @project(%x: tensor<?x32xf32>) -> tensor<?x64xf32> {
      %c0 = arith.constant 0 : index
      %w = quench.packed_weight @w layout(#quench.rows<8>) : tensor<8x1x160xi8>
      %rows = tensor.dim %x, %c0 : tensor<?x32xf32>
      %0 = tensor.empty(%rows) : tensor<?x32xi8>
      %1 = tensor.empty(%rows) : tensor<?x1xf32>
      %q:3 = quench.block_quantize ins(%x : tensor<?x32xf32>) outs(%0, %1, %1 : tensor<?x32xi8>, tensor<?x1xf32>, tensor<?x1xf32>)
        -> tensor<?x32xi8>, tensor<?x1xf32>, tensor<?x1xf32>
      %2 = tensor.empty(%rows) : tensor<?x64xf32>
      %y = quench.block_matmul #quench.q4_1 weights(%w : tensor<8x1x160xi8>) acts(%q#0 : tensor<?x32xi8>)
        scales(%q#1 : tensor<?x1xf32>) sums(%q#2 : tensor<?x1xf32>) outs(%2 : tensor<?x64xf32>) -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
}

def QuenchTile : Pass<"quench-tile", "::mlir::func::FuncOp"> {
  let summary = "Distributes block ops over threads and fuses their producers";
  let description = [{
    Every block op and element-wise op becomes an `scf.forall` mapped to
    `#quench.thread`, with the producers that it can take along inside: a norm with
    the quantization that reads it, linear layers with the activation function,
    attention heads with the quantization of their output, the head with its argmax.
    Tiles divide the domain, so that no thread sees a partial one.

    ```mlir
    // quench-opt --quench-tile --canonicalize --cse
    #id = affine_map<(d0, d1) -> (d0, d1)>

    func.func @double(%x: tensor<4x64xf32>, %out: tensor<4x64xf32>) -> tensor<4x64xf32> {
      %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x64xf32>) outs(%out : tensor<4x64xf32>) {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %a : f32
        linalg.yield %s : f32
      } -> tensor<4x64xf32>
      return %y : tensor<4x64xf32>
    }
    ```
    becomes
    ```mlir
    #id = affine_map<(d0, d1) -> (d0, d1)>

    func.func @double(%x: tensor<4x64xf32>, %out: tensor<4x64xf32>) -> tensor<4x64xf32> {
      %y = scf.forall (%i) = (0) to (64) step (32) shared_outs(%shared = %out) -> (tensor<4x64xf32>) {
        %from = tensor.extract_slice %x[0, %i] [4, 32] [1, 1] : tensor<4x64xf32> to tensor<4x32xf32>
        %to = tensor.extract_slice %shared[0, %i] [4, 32] [1, 1] : tensor<4x64xf32> to tensor<4x32xf32>
        %tile = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%from : tensor<4x32xf32>) outs(%to : tensor<4x32xf32>) {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %a : f32
          linalg.yield %s : f32
        } -> tensor<4x32xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %tile into %shared[0, %i] [4, 32] [1, 1] : tensor<4x32xf32> into tensor<4x64xf32>
        }
      } {mapping = [#quench.thread]}
      return %y : tensor<4x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::quench::QuenchDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect"];
}

#endif // QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_TD
