//===- QuenchFolds.cpp - cheap, local folds ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto outer = getSource().getDefiningOp<SliceOp>()) {
    setOffset(getOffset() + outer.getOffset());
    getSourceMutable().assign(outer.getSource());
    return getResult();
  }
  return {};
}
