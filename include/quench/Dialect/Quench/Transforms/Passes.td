//===- Passes.td - passes on the quench dialect ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_TD
#define QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuenchAddSpeculation : Pass<"quench-add-speculation", "::mlir::ModuleOp"> {
  let summary = "Adds the entry point @round: one draft and one verify";
  let description = [{
    Takes the body of the entry point `@logits` as the region of a
    `quench.verify` with the greedy rule, puts a `quench.draft` before it, and
    leaves an existing `@round` alone. `@logits` must have one cache and commit it.
  }];
  let options = [
    Option<"source", "source", "std::string", "\"lookup\"", "Where candidates come from: lookup">,
    Option<"max", "max", "int64_t", "7", "Most candidates of a round, 1 to 7">,
  ];
}

def QuenchFuseAcceptance : Pass<"quench-fuse-acceptance", "::mlir::ModuleOp"> {
  let summary = "Yields best ids instead of logits where the rule needs no more";
  let description = [{
    In a `quench.verify` whose rule needs only the best id of a row, puts a
    `quench.argmax` before the yield, where it later fuses into the head's tiles:
    logits of a step never exist in memory.
  }];
}

def QuenchMergeLinears : Pass<"quench-merge-linears", "::mlir::func::FuncOp"> {
  let summary = "Merges linear layers that read the same rows (Q, K and V; gate and up)";
  let description = [{
    They share one quantization of their input, and their tiles one
    distribution over threads. Formats may differ. The merged op stands where the
    last of them stood if all its operands are available at the first.
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
    A `lookup` draft becomes `quench.host_draft`. A verify becomes its region on the
    concatenated rows, a loop that counts accepted candidates, and the commit.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::linalg::LinalgDialect"];
}

def QuenchMaterializeLayout : Pass<"quench-materialize-layout", "::mlir::ModuleOp"> {
  let summary = "Turns weights into packed tensors and model ops into block ops";
  let description = [{
    Follows `quench.layout` through calls: a qtensor argument becomes an argument of
    the packed type. After it no `!quench.qtensor` value and no model op is left.
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
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect"];
}

#endif // QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_TD
