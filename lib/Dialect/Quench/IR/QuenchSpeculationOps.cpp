//===- QuenchSpeculationOps.cpp - verifiers and effects of draft and verify ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Draft limits above this would need steps wider than the kernels' widest.
static constexpr int64_t kMaxDraft = 7;

static void addCacheEffects(MutableOperandRange caches, Effects &effects) {
  for (OpOperand &cache : caches) {
    effects.emplace_back(MemoryEffects::Read::get(), &cache, CacheResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), &cache, CacheResource::get());
  }
}

/// The block arguments of a draft or verify region: token ids and positions.
static LogicalResult verifyRegionArguments(Operation *op, Block &block) {
  auto isIds = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 1 && tensor.getElementType().isSignlessInteger(32);
  };
  if (block.getNumArguments() != 2 || !isIds(block.getArgument(0).getType()) || !isIds(block.getArgument(1).getType()))
    return op->emitOpError("expected a region with two arguments of type tensor<?xi32> (tokens, positions), got ")
           << block.getArgumentTypes();
  return success();
}

static bool isLogits(TypeRange types) {
  if (types.size() != 1)
    return false;
  auto tensor = dyn_cast<RankedTensorType>(types[0]);
  return tensor && tensor.getRank() == 2 && tensor.getElementType().isF32();
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
    return emitOpError("expected as many positions as tokens (") << getTokens().getType() << "), got " << getResult().getType();
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
  if (max < 1 || max > kMaxDraft)
    return emitOpError("expected a limit between 1 and ") << kMaxDraft << ", got " << max;
  if (source.needsRegion() != !getBody().empty())
    return emitOpError("expected ") << (source.needsRegion() ? "a region" : "no region") << " for source "
                                    << source.getName() << ", got " << (getBody().empty() ? "none" : "one");
  if (!source.needsRegion()) {
    if (!getCaches().empty())
      return emitOpError("expected no caches for source ") << source.getName() << ", got " << getCaches().size();
    return success();
  }
  if (failed(verifyRegionArguments(*this, getBody().front())))
    return failure();
  Operation *yield = getBody().front().getTerminator();
  if (!isLogits(yield->getOperandTypes()))
    return emitOpError("expected the region to yield logits (tensor<?xVxf32>), got ") << yield->getOperandTypes();
  return success();
}

void VerifyOp::getEffects(Effects &effects) { addCacheEffects(getCachesMutable(), effects); }

LogicalResult VerifyOp::verify() {
  auto rule = dyn_cast<AcceptRuleAttrInterface>(getRule());
  if (!rule)
    return emitOpError("expected an acceptance rule such as #quench.greedy, got ") << getRule();
  if (getCaches().empty())
    return emitOpError("expected at least one cache");
  if (failed(verifyRegionArguments(*this, getBody().front())))
    return failure();
  Operation *yield = getBody().front().getTerminator();
  if (!isLogits(yield->getOperandTypes()) && !(rule.needsOnlyArgmax() && isArgmax(yield->getOperandTypes())))
    return emitOpError("expected the region to yield logits (tensor<?xVxf32>)")
           << (rule.needsOnlyArgmax() ? " or best ids and logits (tensor<?xi32>, tensor<?xf32>)" : "") << ", got "
           << yield->getOperandTypes();
  return success();
}

void HostDraftOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), SideEffects::DefaultResource::get());
}
