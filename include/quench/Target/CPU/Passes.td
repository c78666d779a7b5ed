//===- Passes.td - passes of the CPU target ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_TARGET_CPU_PASSES_TD
#define QUENCH_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuenchInlineBufferResults : Pass<"quench-inline-buffer-results", "::mlir::ModuleOp"> {
  let summary = "Inlines private functions that return a buffer of their own";
  let description = [{
    A function has one place in the workspace, so two live results of one callee
    would share it. Functions that update an argument in place (layers) return
    nothing by now and stay calls.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def QuenchExportResults : Pass<"quench-export-results", "::mlir::func::FuncOp"> {
  let summary = "Hands out an entry point's results through quench.result";
  let description = [{
    Results follow the arguments in the caller's array. Functions without
    `quench.entry` stay as they are.
  }];
  let dependentDialects = ["::mlir::quench::QuenchDialect"];
}

def QuenchSpmdize : Pass<"quench-spmdize", "::mlir::ModuleOp"> {
  let summary = "Makes sequential functions ones that every thread of a team executes";
  let description = [{
    Each `scf.forall` mapped to `#quench.thread` becomes the thread's contiguous share
    of its tiles. What writes memory outside of one is done by thread 0; the rest,
    scalar code and reads, by all. A `quench.barrier` stands only where data crosses
    threads: before the first op that reads what another thread may have written since
    the last barrier, or overwrites what another may still read; and at the end, unless
    each thread has written its own rows only (below), which a caller can go on with. An
    entry point has none at its end: whoever runs it waits for all threads to return.

    Two loops over all rows of a buffer, with tiles of the same height that each touch
    only their own rows, give a row to the same thread, and nothing crosses threads
    between them.
  }];
  let dependentDialects = ["::mlir::quench::QuenchDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def QuenchPlanWorkspace : Pass<"quench-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "Gives every allocation its place in the workspace";
  let description = [{
    Dynamic sizes are bounded by the module's `quench.max_rows`. Allocations inside a
    distributed loop go to the executing thread's own part. Sizes are recorded as
    `quench.workspace_bytes` and `quench.thread_workspace_bytes`.
  }];
  let dependentDialects = ["::mlir::quench::QuenchDialect"];
}

def QuenchLegalizeFloats : Pass<"quench-legalize-floats", "::mlir::ModuleOp"> {
  let summary = "Expands fused multiply-add and f16 conversions that the target lacks";
  let description = [{
    Without hardware support LLVM would call library functions, which emitted
    libraries must not import. A missing fused multiply-add becomes a multiplication and an
    addition; conversions between f16 and f32 become integer code, round to nearest even;
    bf16 always does.
  }];
  let options = [
    Option<"fma", "fma", "bool", "true", "The target has fused multiply-add">,
    Option<"f16", "f16", "bool", "true", "The target converts f16">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ConvertQuenchToRuntime : Pass<"convert-quench-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Gives functions the runtime's calling convention";
  let description = [{
    Every function but kernels gets the thread's index, the number of threads and the
    context; entry points take their arguments from an array of `qrt_tensor`. Weights,
    workspace, caches and host services become loads and calls through
    the structures of `quench-rt/abi.h`. The order of weights is recorded as
    `quench.weight_table`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif // QUENCH_TARGET_CPU_PASSES_TD
