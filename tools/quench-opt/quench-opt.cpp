//===- quench-opt.cpp - parse, run passes, print ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "quench/Conversion/Passes.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"
#include "quench/Program/OptMain.h"
#include "quench/Target/CPU/CPUTarget.h"
#include "quench/Target/CPU/Passes.h"
#include "quench/Target/CPU/Pipeline.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<mlir::quench::QuenchDialect>();
  mlir::registerAllPasses();
  mlir::registerAllExtensions(registry);
  mlir::quench::registerQuenchTransformsPasses();
  mlir::quench::registerQuenchConversionPasses();
  mlir::quench::registerQuenchCPUPasses();
  mlir::quench::registerCPUPipelines();
  return mlir::asMainReturnCode(mlir::quench::optMain(argc, argv, "Quench optimizer\n", registry));
}
