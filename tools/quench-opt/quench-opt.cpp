//===- quench-opt.cpp - parse, run passes, print ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "quench/Program/OptMain.h"
#include "quench/Tools/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::quench::registerAllDialects(registry);
  mlir::quench::registerAllPasses();
  return mlir::asMainReturnCode(mlir::quench::optMain(argc, argv, "Quench optimizer\n", registry));
}
