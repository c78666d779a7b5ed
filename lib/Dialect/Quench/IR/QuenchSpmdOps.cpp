//===- QuenchSpmdOps.cpp - verifiers of workspace, results and pages ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;

LogicalResult WorkspaceOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (getSizes().size() != type.getNumDynamicDims())
    return emitOpError("expected one size for each dynamic dimension (")
           << type.getNumDynamicDims() << "), got " << getSizes().size();
  if (!type.getLayout().isIdentity())
    return emitOpError("expected a dense buffer, got ") << type;
  if (int64_t(getOffset()) < 0)
    return emitOpError("expected an offset of at least 0, got ") << int64_t(getOffset());
  return success();
}

LogicalResult ResultOp::verify() {
  if (int64_t(getIndex()) < 0)
    return emitOpError("expected an index of at least 0, got ") << int64_t(getIndex());
  return success();
}

LogicalResult CachePageOp::verify() {
  auto cache = cast<CacheTypeInterface>(getCache().getType());
  SmallVector<int64_t> shape = {cache.getDim(), cache.getSlots()};
  if (getPart() == CachePart::Values)
    std::swap(shape[0], shape[1]);
  auto expected = MemRefType::get(shape, cache.getElement());
  if (getResult().getType() != expected)
    return emitOpError("expected a result of type ")
           << expected << ", got " << getResult().getType();
  return success();
}
