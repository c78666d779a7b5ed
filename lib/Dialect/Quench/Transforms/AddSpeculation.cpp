//===- AddSpeculation.cpp - adds the entry point @round ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "quench-rt/Limits.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHADDSPECULATION
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
struct AddSpeculation : impl::QuenchAddSpeculationBase<AddSpeculation> {
  using QuenchAddSpeculationBase::QuenchAddSpeculationBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module.lookupSymbol("round"))
      return;
    if (source != "lookup" && source != "model") {
      module.emitError("unknown draft source '") << source << "'; supported: lookup, model";
      return signalPassFailure();
    }
    if (max < 1 || max > qrt::kMaxDraft) {
      module.emitError("expected a draft limit between 1 and ")
          << qrt::kMaxDraft << ", got " << int64_t(max);
      return signalPassFailure();
    }
    FailureOr<func::FuncOp> target = find(module, "logits"), draft = func::FuncOp();
    if (succeeded(target) && source == "model")
      draft = find(module, "draft.logits");
    if (failed(target) || failed(draft))
      return signalPassFailure();
    if (*draft && draft->getResultTypes() != target->getResultTypes()) {
      draft->emitError("the draft's logits have type ")
          << draft->getResultTypes()[0] << ", expected " << target->getResultTypes()[0]
          << " as in @logits: both choose from one vocabulary";
      return signalPassFailure();
    }
    build(*target, *draft);
  }

  static FailureOr<func::FuncOp> find(ModuleOp module, StringRef name) {
    auto logits = module.lookupSymbol<func::FuncOp>(name);
    if (!logits || logits.isExternal())
      return module.emitError("speculation needs an entry point @")
             << name << " to " << (name == "logits" ? "verify" : "draft") << " with, found none";
    if (failed(check(logits)))
      return failure();
    return logits;
  }

  static LogicalResult check(func::FuncOp logits) {
    auto isDynamic = [](Type type, int64_t rank, Type element) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.getRank() == rank && tensor.isDynamicDim(0) &&
             tensor.getElementType() == element;
    };
    Builder b(logits.getContext());
    if (logits.getNumArguments() != 2 || logits.getNumResults() != 1 ||
        !isDynamic(logits.getArgument(0).getType(), 1, b.getI32Type()) ||
        !isa<CacheTypeInterface>(logits.getArgument(1).getType()) ||
        !isDynamic(logits.getResultTypes()[0], 2, b.getF32Type()))
      return logits.emitError("expected @")
             << logits.getName() << "(tensor<?xi32>, cache) -> tensor<?xVxf32>, got "
             << logits.getFunctionType();
    if (!llvm::hasSingleElement(logits.getBody()))
      return logits.emitError("expected @") << logits.getName() << " to have a single block";
    // The region gets its positions from quench.verify, which commits as well.
    Value tokens = logits.getArgument(0);
    WalkResult result = logits.walk([&](Operation *op) {
      auto positions = dyn_cast<PositionsOp>(op);
      if ((positions && positions.getTokens() != tokens) ||
          (isa<PositionsOp, CacheCommitOp>(op) && op->getParentOp() != logits)) {
        op->emitOpError("expected at the top of @") << logits.getName() << ", for its tokens";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return success(!result.wasInterrupted());
  }

  void build(func::FuncOp target, func::FuncOp draft) {
    OpBuilder builder(target);
    builder.setInsertionPointAfter(target);
    Location loc = target.getLoc();
    Type ids = target.getArgument(0).getType(), index = builder.getIndexType();
    Type values = RankedTensorType::get({ShapedType::kDynamic}, builder.getF32Type());
    SmallVector<Type> arguments = {ids, index, target.getArgument(1).getType()};
    if (draft)
      arguments.push_back(draft.getArgument(1).getType());
    auto round = func::FuncOp::create(
        builder, loc, "round", builder.getFunctionType(arguments, {ids, values, index, ids}));
    round->setAttr(QuenchDialect::getEntryAttrName(), builder.getUnitAttr());
    Block *body = round.addEntryBlock();
    builder.setInsertionPointToStart(body);
    Value pending = body->getArgument(0), limit = body->getArgument(1);
    ValueRange caches = body->getArguments().drop_front(2);
    StringRef name = QuenchDialect::getCacheAttrName();
    if (Attribute own = target.getArgAttr(1, name))
      round.setArgAttr(2, name, own);
    if (draft && draft.getArgAttr(1, name))
      round.setArgAttr(3, name, draft.getArgAttr(1, name));

    Attribute from = LookupAttr::get(&getContext());
    if (draft)
      from = ModelAttr::get(&getContext());
    auto propose = DraftOp::create(builder, loc, ids, pending, limit, caches.drop_front(), from,
                                   builder.getI64IntegerAttr(max));
    auto verify = VerifyOp::create(builder, loc, TypeRange{ids, values, index, ids}, pending,
                                   propose.getCandidates(), caches, GreedyAttr::get(&getContext()));
    func::ReturnOp::create(builder, loc, verify.getResults());
    if (draft)
      fill(propose.getBody(), draft, caches[1]);
    fill(verify.getBody(), target, caches[0]);
  }

  /// The body of @logits as that of a draft or verify.
  static void fill(Region &region, func::FuncOp logits, Value cache) {
    Block &block = region.emplaceBlock();
    Type ids = logits.getArgument(0).getType();
    block.addArguments({ids, ids}, {logits.getLoc(), logits.getLoc()});
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    IRMapping map;
    map.map(logits.getArgument(0), block.getArgument(0));
    map.map(logits.getArgument(1), cache);
    for (Operation &op : logits.getBody().front()) {
      if (auto positions = dyn_cast<PositionsOp>(op)) {
        map.map(positions.getResult(), block.getArgument(1));
      } else if (auto result = dyn_cast<func::ReturnOp>(op)) {
        YieldOp::create(builder, result.getLoc(), map.lookup(result.getOperand(0)));
      } else if (!isa<CacheCommitOp>(op)) {
        builder.clone(op, map);
      }
    }
  }
};
} // namespace
} // namespace mlir::quench
