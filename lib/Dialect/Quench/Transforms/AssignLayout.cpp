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
      if (!isa<LinearOp, EmbeddingOp, RMSNormOp, LayerNormOp, DequantizeOp>(op))
        return WalkResult::advance();
      if (failed(check(op)))
        return WalkResult::interrupt();
      if (op->hasAttr(QuenchDialect::getLayoutAttrName()))
        return WalkResult::advance();
      Attribute layout = PlainAttr::get(&getContext());
      if (isa<LinearOp, EmbeddingOp>(op))
        layout = RowsAttr::get(&getContext(), 8);
      op->setAttr(QuenchDialect::getLayoutAttrName(), layout);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// Formats that have kernels: the rest is refused here, by name.
  static LogicalResult check(Operation *op) {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<QTensorType>(operand.getType());
      if (!type)
        continue;
      bool anyFloat = bool(type.getFormat().getFloatType());
      bool blocks = isa<Q4_1Attr, Q8_0Attr>(type.getFormat());
      if (isa<LinearOp, EmbeddingOp>(op) ? anyFloat || blocks : isa<F32Attr>(type.getFormat()))
        continue;
      InFlightDiagnostic diagnostic = op->emitOpError("has no kernel for a weight of format ");
      diagnostic << type.getFormat().getName() << "; supported here: "
                 << (isa<LinearOp, EmbeddingOp>(op) ? "f32, f16, bf16, q4_1, q8_0" : "f32");
      return diagnostic;
    }
    return success();
  }
};
} // namespace
} // namespace mlir::quench
