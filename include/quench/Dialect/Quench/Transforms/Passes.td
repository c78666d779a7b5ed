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
    func.func @logits(%t: tensor<?xi32>, %kv: !large) -> tensor<?x64xf32> attributes {quench.entry} { … }
    module @draft {
      func.func @logits(%t: tensor<?xi32>, %kv: !small) -> tensor<?x64xf32> attributes {quench.entry} { … }
    }
    ```
    becomes
    ```mlir
    func.func @logits(%t: tensor<?xi32>, %kv: !large) -> tensor<?x64xf32> attributes {quench.entry} { … }
    func.func @draft.logits(%t: tensor<?xi32>, %kv: !small {quench.cache = "draft"}) -> tensor<?x64xf32> attributes {quench.entry} { … }
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
    func.func @round(%pending: tensor<?xi32>, %limit: index, %kv: !cache)
        -> (tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>) attributes {quench.entry} {
      %c = quench.draft source(#quench.lookup) %pending limit(%limit : max 7) : tensor<?xi32> -> tensor<?xi32>
      %r:4 = quench.verify %pending, %c rule(#quench.greedy) caches(%kv : !cache) {
        … the body of @logits, without positions and commit
      } : …
      return %r#0, %r#1, %r#2, %r#3 : …
    }
    ```
  }];
  let options = [
    Option<"source", "source", "std::string", "\"lookup\"", "Where candidates come from: lookup, or model (@draft.logits)">,
    Option<"max", "max", "int64_t", "7", "Most candidates of a round, 1 to 7">,
  ];
}

def QuenchFuseAcceptance : Pass<"quench-fuse-acceptance", "::mlir::ModuleOp"> {
  let summary = "Yields best ids instead of logits where the rule needs no more";
  let description = [{
    In a `quench.verify` whose rule needs only the best id of a row, and in a `quench.draft`, puts a
    `quench.argmax` before the yield, where it later fuses into the head's tiles:
    logits of a step never exist in memory.

    ```mlir
    quench.yield %logits : tensor<?x49152xf32>
    ```
    becomes
    ```mlir
    %ids, %best = quench.argmax %logits : tensor<?x49152xf32> -> tensor<?xi32>, tensor<?xf32>
    quench.yield %ids, %best : tensor<?xi32>, tensor<?xf32>
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
    %g = quench.linear %x, %wg activations(i8) : …
    %u = quench.linear %x, %wu activations(i8) : …
    ```
    becomes
    ```mlir
    %g, %u = quench.linear %x, %wg, %wu activations(i8) : …
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
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::linalg::LinalgDialect"];
}

def QuenchMaterializeLayout : Pass<"quench-materialize-layout", "::mlir::ModuleOp"> {
  let summary = "Turns weights into packed tensors and model ops into block ops";
  let description = [{
    Follows `quench.layout` through calls: a qtensor argument becomes an argument of
    the packed type. After it no `!quench.qtensor` value and no model op is left.

    ```mlir
    %w = quench.get_weight @w : !quench.qtensor<64x64, #quench.q4_1>
    %y = quench.linear %x, %w activations(i8) {quench.layout = #quench.rows<8>} : …
    ```
    becomes
    ```mlir
    %w = quench.packed_weight @w layout(#quench.rows<8>) : tensor<8x2x160xi8>
    %q:3 = quench.block_quantize ins(%x : …) outs(…) -> …
    %y = quench.block_matmul #quench.q4_1 weights(%w : …) acts(%q#0 : …) scales(%q#1 : …) sums(%q#2 : …) outs(…) -> …
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
  }];
  let dependentDialects = ["::mlir::quench::QuenchDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect"];
}

#endif // QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_TD
