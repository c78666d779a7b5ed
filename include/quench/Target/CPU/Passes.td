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

    ```mlir
    // quench-opt --quench-inline-buffer-results
    func.func @twice(%n: index) -> (memref<?xf32>, memref<?xf32>) {
      %a = call @make(%n) : (index) -> memref<?xf32>
      %b = call @make(%n) : (index) -> memref<?xf32>
      return %a, %b : memref<?xf32>, memref<?xf32>
    }
    func.func private @make(%n: index) -> memref<?xf32> {
      %0 = memref.alloc(%n) : memref<?xf32>
      return %0 : memref<?xf32>
    }
    ```
    becomes
    ```mlir
    func.func @twice(%n: index) -> (memref<?xf32>, memref<?xf32>) {
      %a = memref.alloc(%n) : memref<?xf32>
      %b = memref.alloc(%n) : memref<?xf32>
      return %a, %b : memref<?xf32>, memref<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def QuenchExportResults : Pass<"quench-export-results", "::mlir::func::FuncOp"> {
  let summary = "Hands out an entry point's results through quench.result";
  let description = [{
    Results follow the arguments in the caller's array. Functions without
    `quench.entry` stay as they are.

    ```mlir
    // quench-opt --quench-export-results
    func.func @entry(%x: memref<?xf32>, %n: index) -> (index, memref<?xf32>) attributes {quench.entry} {
      return %n, %x : index, memref<?xf32>
    }
    ```
    becomes
    ```mlir
    func.func @entry(%x: memref<?xf32>, %n: index) attributes {quench.entry} {
      quench.result 2 = %n : index
      quench.result 3 = %x : memref<?xf32>
      return
    }
    ```
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

    ```mlir
    // quench-opt --quench-spmdize --canonicalize
    func.func @fill(%x: memref<64xf32>, %value: f32) -> f32 attributes {quench.entry} {
      %c0 = arith.constant 0 : index
      scf.forall (%i) = (0) to (64) step (8) {
        %tile = memref.subview %x[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
        linalg.fill ins(%value : f32) outs(%tile : memref<8xf32, strided<[1], offset: ?>>)
      } {mapping = [#quench.thread]}
      %result = memref.load %x[%c0] : memref<64xf32>
      return %result : f32
    }
    ```
    becomes
    ```mlir
    func.func @fill(%x: memref<64xf32>, %value: f32) -> f32 attributes {quench.entry} {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %tid = quench.thread_id
      %threads = quench.num_threads
      %0 = arith.muli %tid, %c8 : index
      %first = arith.divui %0, %threads : index
      %1 = arith.addi %tid, %c1 : index
      %2 = arith.muli %1, %c8 : index
      %end = arith.divui %2, %threads : index
      scf.for %number = %first to %end step %c1 {
        %i = arith.muli %number, %c8 : index
        %tile = memref.subview %x[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
        linalg.fill ins(%value : f32) outs(%tile : memref<8xf32, strided<[1], offset: ?>>)
      }
      quench.barrier
      %result = memref.load %x[%c0] : memref<64xf32>
      return %result : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::quench::QuenchDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def QuenchPlanWorkspace : Pass<"quench-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "Gives every allocation its place in the workspace";
  let description = [{
    Dynamic sizes are bounded by the module's `quench.max_rows`. Allocations inside a
    distributed loop go to the executing thread's own part. Sizes are recorded as
    `quench.workspace_bytes` and `quench.thread_workspace_bytes`.

    ```mlir
    // quench-opt --quench-plan-workspace
    module attributes {quench.max_rows = 10 : i64} {
      func.func @f(%n: index) {
        %a = memref.alloc(%n) : memref<?x8xf32>
        %b = memref.alloc() : memref<2xi64>
        %c = memref.alloc() {quench.private} : memref<3xi8>
        return
      }
    }
    ```
    becomes
    ```mlir
    module attributes {quench.max_rows = 10 : i64, quench.workspace_bytes = 384 : i64, quench.thread_workspace_bytes = 64 : i64} {
      func.func @f(%n: index) {
        %a = quench.workspace 0(%n) : memref<?x8xf32>
        %b = quench.workspace 320() : memref<2xi64>
        %c = quench.workspace private 0() : memref<3xi8>
        return
      }
    }
    ```
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

    ```mlir
    // quench-opt --quench-legalize-floats=fma=false
    func.func @f(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>) -> vector<8xf32> {
      %0 = math.fma %a, %b, %c : vector<8xf32>
      return %0 : vector<8xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>) -> vector<8xf32> {
      %0 = arith.mulf %a, %b : vector<8xf32>
      %1 = arith.addf %0, %c : vector<8xf32>
      return %1 : vector<8xf32>
    }
    ```
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

    ```mlir
    // quench-opt --convert-quench-to-runtime --canonicalize --cse
    quench.weight @w {key = "w"} : !quench.qtensor<32, #quench.f32>
    func.func @entry(%n: index) attributes {quench.entry} {
      %w = quench.packed_weight @w layout(#quench.plain) : memref<32xf32>
      call @layer(%w) : (memref<32xf32>) -> ()
      quench.barrier
      return
    }
    func.func private @layer(%w: memref<32xf32>) {
      return
    }
    ```
    becomes
    ```mlir
    module attributes {quench.weight_table = [[@w, #quench.plain]]} {
      llvm.mlir.global internal @quench_host() {addr_space = 0 : i32} : !llvm.ptr {
        %null = llvm.mlir.zero : !llvm.ptr
        llvm.return %null : !llvm.ptr
      }
      func.func @entry(%tid: i64, %threads: i64, %context: !llvm.ptr, %args: !llvm.ptr) attributes {quench.entry} {
        %global = llvm.mlir.addressof @quench_host : !llvm.ptr
        %table = llvm.load %context : !llvm.ptr -> !llvm.ptr
        %w = llvm.load %table : !llvm.ptr -> !llvm.ptr
        call @layer(%tid, %threads, %context, %w) : (i64, i64, !llvm.ptr, !llvm.ptr) -> ()
        %0 = llvm.getelementptr %context[16] : (!llvm.ptr) -> !llvm.ptr, i8
        %team = llvm.load %0 : !llvm.ptr -> !llvm.ptr
        %host = llvm.load %global : !llvm.ptr -> !llvm.ptr
        %1 = llvm.getelementptr %host[8] : (!llvm.ptr) -> !llvm.ptr, i8
        %barrier = llvm.load %1 : !llvm.ptr -> !llvm.ptr
        llvm.call %barrier(%team, %tid) : !llvm.ptr, (!llvm.ptr, i64) -> ()
        return
      }
      func.func private @layer(%tid: i64, %threads: i64, %context: !llvm.ptr, %w: !llvm.ptr) {
        return
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif // QUENCH_TARGET_CPU_PASSES_TD
