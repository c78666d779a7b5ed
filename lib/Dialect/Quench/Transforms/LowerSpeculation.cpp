//===- LowerSpeculation.cpp - draft and verify as tensor code ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHLOWERSPECULATION
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value rows(ImplicitLocOpBuilder &b, Value tensor) {
  return tensor::DimOp::create(b, tensor, constant(b, 0));
}

/// tensor[offset, offset + size)
Value slice(ImplicitLocOpBuilder &b, Value tensor, Value offset, Value size) {
  OpFoldResult one = b.getIndexAttr(1);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  return tensor::ExtractSliceOp::create(b, RankedTensorType::get({ShapedType::kDynamic}, element),
                                        tensor, ArrayRef<OpFoldResult>{offset},
                                        ArrayRef<OpFoldResult>{size}, ArrayRef<OpFoldResult>{one});
}

Value insert(ImplicitLocOpBuilder &b, Value part, Value into, Value offset) {
  OpFoldResult one = b.getIndexAttr(1);
  return tensor::InsertSliceOp::create(b, part, into, ArrayRef<OpFoldResult>{offset},
                                       ArrayRef<OpFoldResult>{rows(b, part)},
                                       ArrayRef<OpFoldResult>{one});
}

/// first + 0, first + 1, …
Value countUp(ImplicitLocOpBuilder &b, Value first, Value size) {
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

struct LowerSpeculation : impl::QuenchLowerSpeculationBase<LowerSpeculation> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<DraftOp, VerifyOp, PositionsOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto draft = dyn_cast<DraftOp>(op)) {
        if (failed(lower(draft)))
          return signalPassFailure();
      } else if (auto verify = dyn_cast<VerifyOp>(op)) {
        if (failed(lower(verify)))
          return signalPassFailure();
      } else {
        lower(cast<PositionsOp>(op));
      }
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

  static LogicalResult lower(DraftOp op) {
    if (!isa<LookupAttr>(op.getSource()))
      return op.emitOpError("has no lowering for source ")
             << cast<DraftSourceAttrInterface>(op.getSource()).getName() << "; supported: lookup";
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value candidates =
        tensor::EmptyOp::create(b, ArrayRef<int64_t>{int64_t(op.getMax())}, b.getI32Type());
    Value count = tensor::EmptyOp::create(b, ArrayRef<int64_t>{1}, b.getI64Type());
    Value bound = arith::MinUIOp::create(b, op.getLimit(), constant(b, op.getMax()));
    auto host =
        HostDraftOp::create(b, TypeRange{candidates.getType(), count.getType()}, op.getPending(),
                            bound, ValueRange{candidates, count}, b.getStringAttr("lookup"));
    Value number = tensor::ExtractOp::create(b, host.getResult(1), ValueRange{constant(b, 0)});
    number = arith::IndexCastOp::create(b, b.getIndexType(), number);
    op.replaceAllUsesWith(slice(b, host.getResult(0), constant(b, 0), number));
    op.erase();
    return success();
  }

  /// With m pending tokens (one, where a single cache is behind), rows m-1 … m-1+k
  /// of the region are the target's choices after the newest token and after each
  /// of the k candidates.
  static LogicalResult lower(VerifyOp op) {
    if (!isa<GreedyAttr>(op.getRule()))
      return op.emitOpError("has no lowering for rule ")
             << cast<AcceptRuleAttrInterface>(op.getRule()).getName() << "; supported: greedy";
    if (op.getCaches().size() != 1)
      return op.emitOpError("has a lowering for one cache, got ") << op.getCaches().size();
    Operation *yield = op.getBody().front().getTerminator();
    if (yield->getNumOperands() != 2)
      return op.emitOpError(
          "expected the region to yield best ids and logits; run quench-fuse-acceptance before");

    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value pending = op.getPending(), candidates = op.getCandidates(), cache = op.getCaches()[0];
    Value one = constant(b, 1);
    Value m = rows(b, pending), k = rows(b, candidates);
    Value width = arith::AddIOp::create(b, m, k);
    Value tokens = tensor::EmptyOp::create(
        b, RankedTensorType::get({ShapedType::kDynamic}, b.getI32Type()), width);
    tokens = insert(b, pending, tokens, constant(b, 0));
    tokens = insert(b, candidates, tokens, m);
    Value length = CacheLengthOp::create(b, b.getIndexType(), cache);
    Value positions = countUp(b, length, width);

    Block &region = op.getBody().front();
    region.getArgument(0).replaceAllUsesWith(tokens);
    region.getArgument(1).replaceAllUsesWith(positions);
    Value ids = yield->getOperand(0), logits = yield->getOperand(1);
    yield->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), region.getOperations());

    // n = number of leading candidates that equal the choice before them.
    Value newest = arith::SubIOp::create(b, m, one);
    auto loop = scf::WhileOp::create(
        b, TypeRange{b.getIndexType()}, ValueRange{constant(b, 0)},
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          ImplicitLocOpBuilder i(loc, inner);
          Value more = arith::CmpIOp::create(i, arith::CmpIPredicate::ult, args[0], k);
          auto matches = scf::IfOp::create(i, TypeRange{i.getI1Type()}, more, /*addThen=*/true,
                                           /*addElse=*/true);
          ImplicitLocOpBuilder t(loc, matches.getThenBodyBuilder());
          Value candidate = tensor::ExtractOp::create(t, candidates, args[0]);
          Value choice = tensor::ExtractOp::create(
              t, ids, ValueRange{arith::AddIOp::create(t, newest, args[0])});
          scf::YieldOp::create(
              t, ValueRange{arith::CmpIOp::create(t, arith::CmpIPredicate::eq, candidate, choice)});
          ImplicitLocOpBuilder e(loc, matches.getElseBodyBuilder());
          scf::YieldOp::create(e, ValueRange{arith::ConstantIntOp::create(e, 0, 1)});
          scf::ConditionOp::create(i, matches.getResult(0), args);
        },
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          ImplicitLocOpBuilder i(loc, inner);
          Value next = arith::AddIOp::create(i, args[0], arith::ConstantIndexOp::create(i, 1));
          scf::YieldOp::create(i, ValueRange{next});
        });
    Value accepted = loop.getResult(0);
    Value emittedRows = arith::AddIOp::create(b, accepted, one);
    Value emitted = slice(b, ids, newest, emittedRows);
    Value emittedLogits = slice(b, logits, newest, emittedRows);
    Value next = slice(b, ids, arith::AddIOp::create(b, newest, accepted), one);
    Value committed = arith::AddIOp::create(b, length, arith::AddIOp::create(b, m, accepted));
    CacheCommitOp::create(b, cache, committed);
    op->replaceAllUsesWith(ValueRange{emitted, emittedLogits, accepted, next});
    op.erase();
    return success();
  }
};
} // namespace
} // namespace mlir::quench
