//===- InitAll.cpp - what the tools for compiler engineers know ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Tools/InitAll.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "quench/Conversion/Passes.h"
#include "quench/Dialect/Quench/IR/QuenchDialect.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"
#include "quench/Target/CPU/Passes.h"
#include "quench/Target/CPU/Pipeline.h"

using namespace mlir;

void quench::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<QuenchDialect>();
}

void quench::registerQuenchPasses() {
  registerQuenchTransformsPasses();
  registerQuenchConversionPasses();
  registerQuenchCPUPasses();
  registerCPUPipelines();
}

void quench::registerAllPasses() {
  mlir::registerAllPasses();
  registerQuenchPasses();
}
