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
    if (source != "lookup") {
      module.emitError("unknown draft source '") << source << "'; supported: lookup";
      return signalPassFailure();
    }
    if (max < 1 || max > qrt::kMaxDraft) {
      module.emitError("expected a draft limit between 1 and ")
          << qrt::kMaxDraft << ", got " << int64_t(max);
      return signalPassFailure();
    }
    auto logits = module.lookupSymbol<func::FuncOp>("logits");
    if (!logits || logits.isExternal() || failed(check(logits))) {
      if (!logits || logits.isExternal())
        module.emitError("speculation needs an entry point @logits to verify with, found none");
      return signalPassFailure();
    }
    build(logits);
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
      return logits.emitError("expected @logits(tensor<?xi32>, cache) -> tensor<?xVxf32>, got ")
             << logits.getFunctionType();
    if (!llvm::hasSingleElement(logits.getBody()))
      return logits.emitError("expected @logits to have a single block");
    // The region gets its positions from quench.verify, which commits as well.
    Value tokens = logits.getArgument(0);
    WalkResult result = logits.walk([&](Operation *op) {
      auto positions = dyn_cast<PositionsOp>(op);
      if ((positions && positions.getTokens() != tokens) ||
          (isa<PositionsOp, CacheCommitOp>(op) && op->getParentOp() != logits)) {
        op->emitOpError("expected at the top of @logits, for its tokens");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return success(!result.wasInterrupted());
  }

  void build(func::FuncOp logits) {
    OpBuilder builder(logits);
    builder.setInsertionPointAfter(logits);
    Location loc = logits.getLoc();
    Type ids = logits.getArgument(0).getType(), cache = logits.getArgument(1).getType(),
         index = builder.getIndexType();
    Type values = RankedTensorType::get({ShapedType::kDynamic}, builder.getF32Type());
    auto round = func::FuncOp::create(
        builder, loc, "round",
        builder.getFunctionType({ids, index, cache}, {ids, values, index, ids}));
    round->setAttr(QuenchDialect::getEntryAttrName(), builder.getUnitAttr());
    Block *body = round.addEntryBlock();
    builder.setInsertionPointToStart(body);
    Value pending = body->getArgument(0), limit = body->getArgument(1), kv = body->getArgument(2);
    auto draft = DraftOp::create(builder, loc, ids, pending, limit, ValueRange{},
                                 LookupAttr::get(&getContext()), builder.getI64IntegerAttr(max));
    auto verify =
        VerifyOp::create(builder, loc, TypeRange{ids, values, index, ids}, pending,
                         draft.getCandidates(), ValueRange{kv}, GreedyAttr::get(&getContext()));
    func::ReturnOp::create(builder, loc, verify.getResults());

    Block &region = verify.getBody().emplaceBlock();
    region.addArguments({ids, ids}, {loc, loc});
    builder.setInsertionPointToStart(&region);
    IRMapping map;
    map.map(logits.getArgument(0), region.getArgument(0));
    map.map(logits.getArgument(1), kv);
    for (Operation &op : logits.getBody().front()) {
      if (auto positions = dyn_cast<PositionsOp>(op)) {
        map.map(positions.getResult(), region.getArgument(1));
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
