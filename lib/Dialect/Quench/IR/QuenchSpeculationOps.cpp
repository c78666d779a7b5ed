//===- QuenchSpeculationOps.cpp - verifiers and effects of draft and verify ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "quench-rt/Limits.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addCacheEffects(MutableOperandRange caches, Effects &effects) {
  for (OpOperand &cache : caches) {
    effects.emplace_back(MemoryEffects::Read::get(), &cache, CacheResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), &cache, CacheResource::get());
  }
}

/// The block arguments of a draft or verify region, token ids and positions, and
/// its terminator.
static LogicalResult verifyRegion(Operation *op, Block &block) {
  auto ids = RankedTensorType::get({ShapedType::kDynamic}, IntegerType::get(op->getContext(), 32));
  if (block.getArgumentTypes() != TypeRange({Type(ids), Type(ids)}))
    return op->emitOpError("expected a region with two arguments of type tensor<?xi32> (tokens, "
                           "positions), got (")
           << block.getArgumentTypes() << ")";
  if (!isa<YieldOp>(block.getTerminator()))
    return op->emitOpError("expected the region to end with quench.yield, got ")
           << block.getTerminator()->getName();
  return success();
}

static bool isLogits(TypeRange types) {
  if (types.size() != 1)
    return false;
  auto tensor = dyn_cast<RankedTensorType>(types[0]);
  return tensor && tensor.getRank() == 2 && tensor.getDimSize(1) > 0 &&
         tensor.getElementType().isF32();
}

static bool isArgmax(TypeRange types) {
  if (types.size() != 2)
    return false;
  auto ids = dyn_cast<RankedTensorType>(types[0]), values = dyn_cast<RankedTensorType>(types[1]);
  return ids && values && ids.getRank() == 1 && values.getRank() == 1 &&
         ids.getElementType().isSignlessInteger(32) && values.getElementType().isF32();
}

LogicalResult PositionsOp::verify() {
  int64_t tokens = cast<ShapedType>(getTokens().getType()).getDimSize(0);
  int64_t result = cast<ShapedType>(getResult().getType()).getDimSize(0);
  if (tokens != result)
    return emitOpError("expected as many positions as tokens (")
           << getTokens().getType() << "), got " << getResult().getType();
  return success();
}

void DraftOp::getEffects(Effects &effects) {
  addCacheEffects(getCachesMutable(), effects);
  // The host keeps the history that lookup sources read.
  effects.emplace_back(MemoryEffects::Read::get(), SideEffects::DefaultResource::get());
}

LogicalResult DraftOp::verify() {
  auto source = dyn_cast<DraftSourceAttrInterface>(getSource());
  if (!source)
    return emitOpError("expected a draft source such as #quench.lookup, got ") << getSource();
  int64_t max = getMax();
  if (max < 1 || max > qrt::kMaxDraft)
    return emitOpError("expected a limit between 1 and ") << qrt::kMaxDraft << ", got " << max;
  if (source.needsRegion() != !getBody().empty())
    return emitOpError("expected ")
           << (source.needsRegion() ? "a region" : "no region") << " for source "
           << source.getName() << ", got " << (getBody().empty() ? "none" : "one");
  if (!source.needsRegion() && !getCaches().empty())
    return emitOpError("expected no caches for source ")
           << source.getName() << ", got " << getCaches().size();
  return success();
}

// After the ops of the region: only then its block is known to have a terminator.
LogicalResult DraftOp::verifyRegions() {
  if (getBody().empty())
    return success();
  if (failed(verifyRegion(*this, getBody().front())))
    return failure();
  TypeRange yielded = getBody().front().getTerminator()->getOperandTypes();
  if (!isLogits(yielded) && !isArgmax(yielded))
    return emitOpError("expected the region to yield logits (tensor<?xVxf32>) or best ids and "
                       "logits (tensor<?xi32>, tensor<?xf32>), got (")
           << yielded << ")";
  return success();
}

void VerifyOp::getEffects(Effects &effects) { addCacheEffects(getCachesMutable(), effects); }

LogicalResult VerifyOp::verify() {
  auto rule = dyn_cast<AcceptRuleAttrInterface>(getRule());
  if (!rule)
    return emitOpError("expected an acceptance rule such as #quench.greedy, got ") << getRule();
  if (getCaches().empty())
    return emitOpError("expected at least one cache");
  return success();
}

LogicalResult VerifyOp::verifyRegions() {
  if (failed(verifyRegion(*this, getBody().front())))
    return failure();
  bool best = cast<AcceptRuleAttrInterface>(getRule()).needsOnlyArgmax();
  TypeRange yielded = getBody().front().getTerminator()->getOperandTypes();
  if (!isLogits(yielded) && !(best && isArgmax(yielded)))
    return emitOpError("expected the region to yield logits (tensor<?xVxf32>)")
           << (best ? " or best ids and logits (tensor<?xi32>, tensor<?xf32>)" : "") << ", got ("
           << yielded << ")";
  return success();
}

void HostDraftOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), SideEffects::DefaultResource::get());
}
