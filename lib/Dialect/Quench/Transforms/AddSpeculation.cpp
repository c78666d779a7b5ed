//===- AddSpeculation.cpp - adds the entry point @round ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
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
    if (max < 1 || max > 7) {
      module.emitError("expected a draft limit between 1 and 7, got ") << max;
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
    if (logits.getNumArguments() != 2 || !isa<CacheTypeInterface>(logits.getArgument(1).getType()) ||
        logits.getNumResults() != 1)
      return logits.emitError("expected @logits(tokens, cache) -> logits, got ") << logits.getFunctionType();
    if (!llvm::hasSingleElement(logits.getBody()))
      return logits.emitError("expected @logits to have a single block");
    return success();
  }

  void build(func::FuncOp logits) {
    OpBuilder builder(logits);
    builder.setInsertionPointAfter(logits);
    Location loc = logits.getLoc();
    Type ids = logits.getArgument(0).getType(), cache = logits.getArgument(1).getType(), index = builder.getIndexType();
    Type values = RankedTensorType::get({ShapedType::kDynamic}, builder.getF32Type());
    auto round = func::FuncOp::create(builder, loc, "round",
                                      builder.getFunctionType({ids, index, cache}, {ids, values, index, ids}));
    round->setAttr(QuenchDialect::getEntryAttrName(), builder.getUnitAttr());
    Block *body = round.addEntryBlock();
    builder.setInsertionPointToStart(body);
    Value pending = body->getArgument(0), limit = body->getArgument(1), kv = body->getArgument(2);
    auto draft = DraftOp::create(builder, loc, ids, pending, limit, ValueRange{}, LookupAttr::get(&getContext()),
                                 builder.getI64IntegerAttr(max));
    auto verify = VerifyOp::create(builder, loc, TypeRange{ids, values, index, ids}, pending, draft.getCandidates(),
                                   ValueRange{kv}, GreedyAttr::get(&getContext()));
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
