//===- LowerSpeculation.cpp - draft and verify as tensor code ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SpeculationLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

Value mlir::quench::detail::constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value mlir::quench::detail::add(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::AddIOp::create(b, x, y);
}

Value mlir::quench::detail::sub(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::SubIOp::create(b, x, y);
}

Value mlir::quench::detail::rows(ImplicitLocOpBuilder &b, Value tensor) {
  return tensor::DimOp::create(b, tensor, constant(b, 0));
}

Value mlir::quench::detail::slice(ImplicitLocOpBuilder &b, Value tensor, Value offset, Value size) {
  OpFoldResult one = b.getIndexAttr(1);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  return tensor::ExtractSliceOp::create(b, RankedTensorType::get({ShapedType::kDynamic}, element),
                                        tensor, ArrayRef<OpFoldResult>{offset},
                                        ArrayRef<OpFoldResult>{size}, ArrayRef<OpFoldResult>{one});
}

Value mlir::quench::detail::insert(ImplicitLocOpBuilder &b, Value part, Value into, Value offset) {
  OpFoldResult one = b.getIndexAttr(1);
  return tensor::InsertSliceOp::create(b, part, into, ArrayRef<OpFoldResult>{offset},
                                       ArrayRef<OpFoldResult>{rows(b, part)},
                                       ArrayRef<OpFoldResult>{one});
}

Value mlir::quench::detail::countUp(ImplicitLocOpBuilder &b, Value first, Value size) {
  Type i32 = b.getI32Type();
  auto type = RankedTensorType::get({ShapedType::kDynamic}, i32);
  Value empty = tensor::EmptyOp::create(b, type, size);
  AffineMap identity = b.getMultiDimIdentityMap(1);
  auto generic = linalg::GenericOp::create(
      b, TypeRange{type}, ValueRange{}, ValueRange{empty}, ArrayRef<AffineMap>{identity},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
      [&](OpBuilder &inner, Location loc, ValueRange) {
        Value i = linalg::IndexOp::create(inner, loc, 0);
        Value position = arith::AddIOp::create(inner, loc, first, i);
        linalg::YieldOp::create(inner, loc,
                                ValueRange{arith::IndexCastOp::create(inner, loc, i32, position)});
      });
  return generic.getResult(0);
}

LogicalResult mlir::quench::detail::expectBest(Operation *op) {
  if (op->getRegion(0).front().getTerminator()->getNumOperands() == 2)
    return success();
  return op->emitOpError(
      "expected the region to yield best ids and logits; run quench-fuse-acceptance before");
}

std::pair<Value, Value> mlir::quench::detail::inlineBody(ImplicitLocOpBuilder &b, Block &body,
                                                         Value tokens, Value positions) {
  body.getArgument(0).replaceAllUsesWith(tokens);
  body.getArgument(1).replaceAllUsesWith(positions);
  Operation *yield = body.getTerminator();
  std::pair<Value, Value> results(yield->getOperand(0), yield->getOperand(1));
  yield->erase();
  b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(), body.getOperations());
  return results;
}

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHLOWERSPECULATION
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
struct LowerSpeculation : impl::QuenchLowerSpeculationBase<LowerSpeculation> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<DraftOp, VerifyOp, PositionsOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto positions = dyn_cast<PositionsOp>(op)) {
        lower(positions);
        continue;
      }
      auto draft = dyn_cast<DraftOp>(op);
      if (failed(draft ? lowerDraft(draft) : lowerVerify(cast<VerifyOp>(op))))
        return signalPassFailure();
    }
  }

  static void lower(PositionsOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value length = CacheLengthOp::create(b, b.getIndexType(), op.getCache());
    Value result = countUp(b, length, rows(b, op.getTokens()));
    if (result.getType() != op.getType())
      result = tensor::CastOp::create(b, op.getType(), result);
    op.replaceAllUsesWith(result);
    op.erase();
  }
};
} // namespace
} // namespace mlir::quench
