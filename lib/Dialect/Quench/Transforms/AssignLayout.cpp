//===- AssignLayout.cpp - chooses the layout in which each op reads its weights ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHASSIGNLAYOUT
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
struct AssignLayout : impl::QuenchAssignLayoutBase<AssignLayout> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      bool rows = isa<LinearOp, EmbeddingOp>(op);
      if (!rows && !isa<RMSNormOp, LayerNormOp, DequantizeOp>(op))
        return WalkResult::advance();
      if (!rows && failed(checkPlain(op)))
        return WalkResult::interrupt();
      if (op->hasAttr(QuenchDialect::getLayoutAttrName()))
        return WalkResult::advance();
      op->setAttr(QuenchDialect::getLayoutAttrName(),
                  rows ? Attribute(RowsAttr::get(&getContext(), 8))
                       : PlainAttr::get(&getContext()));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// Norms and the like read plain f32; other formats are refused here, by name.
  static LogicalResult checkPlain(Operation *op) {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<QTensorType>(operand.getType());
      if (!type || isa<F32Attr>(type.getFormat()))
        continue;
      InFlightDiagnostic diagnostic = op->emitOpError("has no kernel for a weight of format ");
      diagnostic << type.getFormat().getName() << "; supported here: f32";
      return diagnostic;
    }
    return success();
  }
};
} // namespace
} // namespace mlir::quench
