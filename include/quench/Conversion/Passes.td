//===- Passes.td - passes from quench to upstream dialects ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_CONVERSION_PASSES_TD
#define QUENCH_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertQuenchToVector : Pass<"convert-quench-to-vector", "::mlir::ModuleOp"> {
  let summary = "Lowers block ops on buffers to loops over vectors of eight lanes";
  let description = [{
    The code of every block op, in the order that its description fixes, and of
    element-wise `linalg.generic`. `block_matmul` and `block_attend` become calls of
    kernels: private functions, one for each format and width class, shared by all shapes. The
    tile of `block_matmul` is the only code that depends on the target.
  }];
  let options = [
    Option<"tile", "tile", "std::string", "\"portable\"", "Form of the inner tile: portable or avx2">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // QUENCH_CONVERSION_PASSES_TD
