//===- quench-reduce.cpp - a small program that still fails ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "quench/Tools/InitAll.h"
#include "quench/Tools/Reduction.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::quench::registerAllDialects(registry);
  mlir::quench::registerReductionPatterns(registry);
  mlir::quench::registerAllPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
