//===- QuenchDialect.td - the quench dialect ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHDIALECT_TD
#define QUENCH_DIALECT_QUENCH_IR_QUENCHDIALECT_TD

include "mlir/IR/OpBase.td"

def Quench_Dialect : Dialect {
  let name = "quench";
  let cppNamespace = "::mlir::quench";
  let summary = "Language models with few bits, few weights and several tokens per step";
  let description = [{
    Quantized linear layers, paged caches, and draft/verify regions of
    speculative decoding, on tensors. Element-wise maths stays in `linalg`,
    `arith` and `math`.

    Two levels share the dialect. *Model ops* (`linear`, `attention`, `draft`,
    …) are what importers and front ends emit; their weights are opaque
    `!quench.qtensor` values. *Block ops* (`block_matmul`, `block_attend`, …)
    appear once a layout is chosen: they are destination-style, work on ranked
    tensors or memrefs, can be tiled along every dimension of their domain, and
    each has one vector form per target.

    A row of an activation is one token. No op lets one row's numbers depend on
    how many rows there are (see the numerics contract).
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Version of the dialect in bytecode; raised with every change of a stored
    /// op, attribute or type.
    static constexpr uint64_t kVersion = 2;

    /// Marks the functions that a compiled library exports.
    static StringRef getEntryAttrName() { return "quench.entry"; }
    /// On the module: bound of every dynamic dimension (rows of a step).
    static StringRef getMaxRowsAttrName() { return "quench.max_rows"; }
    /// On the module: the model's name, its architecture, and the context that it was
    /// trained for or is limited to. A name can be on a function's result as well.
    static StringRef getNameAttrName() { return "quench.name"; }
    static StringRef getArchitectureAttrName() { return "quench.architecture"; }
    static StringRef getContextAttrName() { return "quench.context"; }
    /// On an op that reads a weight: the layout in which it does.
    static StringRef getLayoutAttrName() { return "quench.layout"; }
    /// On a function: compiled once and called by all that need it, on one thread.
    static StringRef getKernelAttrName() { return "quench.kernel"; }
    /// On a function's argument that is a cache: its name. Caches of a program are told apart by
    /// name and type.
    static StringRef getCacheAttrName() { return "quench.cache"; }
    /// On an allocation: each thread has its own.
    static StringRef getPrivateAttrName() { return "quench.private"; }
    /// On the module after lowering: bytes that all threads share, bytes of each thread,
    /// and the (weight, layout) pairs in the order of the runtime's table.
    static StringRef getWorkspaceBytesAttrName() { return "quench.workspace_bytes"; }
    static StringRef getThreadWorkspaceBytesAttrName() { return "quench.thread_workspace_bytes"; }
    static StringRef getWeightTableAttrName() { return "quench.weight_table"; }

    void registerAttributes();
    void registerTypes();
    void registerOps();
  }];
}

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHDIALECT_TD
