//===- FuseAcceptance.cpp - yields best ids instead of logits ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHFUSEACCEPTANCE
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
struct FuseAcceptance : impl::QuenchFuseAcceptanceBase<FuseAcceptance> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      auto draft = dyn_cast<DraftOp>(op);
      auto verify = dyn_cast<VerifyOp>(op);
      bool needsBest =
          (draft && !draft.getBody().empty()) ||
          (verify && cast<AcceptRuleAttrInterface>(verify.getRule()).needsOnlyArgmax());
      if (!needsBest)
        return;
      Operation *yield = op->getRegion(0).front().getTerminator();
      if (yield->getNumOperands() != 1)
        return;
      OpBuilder builder(yield);
      Value logits = yield->getOperand(0);
      int64_t rows = cast<RankedTensorType>(logits.getType()).getDimSize(0);
      auto best = ArgmaxOp::create(builder, op->getLoc(),
                                   RankedTensorType::get({rows}, builder.getI32Type()),
                                   RankedTensorType::get({rows}, builder.getF32Type()), logits);
      yield->setOperands(best.getResults());
    });
  }
};
} // namespace
} // namespace mlir::quench
