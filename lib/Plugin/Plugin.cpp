//===- Plugin.cpp - the dialect and its passes for upstream's mlir-opt -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchDialect.h"
#include "quench/Tools/InitAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/Compiler.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Quench", QUENCH_VERSION,
          [](DialectRegistry *registry) { registry->insert<quench::QuenchDialect>(); }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Quench", QUENCH_VERSION, quench::registerQuenchPasses};
}
