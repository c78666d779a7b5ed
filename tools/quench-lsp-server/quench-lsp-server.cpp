//===- quench-lsp-server.cpp - programs in an editor -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "quench/Tools/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::quench::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
