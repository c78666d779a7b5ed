//===- QuenchDialect.cpp - registration ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchDialect.h"
#include "QuenchBytecode.h"

using namespace mlir;
using namespace mlir::quench;

#include "quench/Dialect/Quench/IR/QuenchDialect.cpp.inc"

void QuenchDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
  detail::addBytecodeInterface(this);
}
