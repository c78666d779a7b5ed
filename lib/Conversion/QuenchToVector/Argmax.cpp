//===- Argmax.cpp - best columns of segments and of rows ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "VectorEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

namespace {
constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

/// The id of a best value that does not exist yet: any value but NaN wins against it.
constexpr int64_t kNoId = std::numeric_limits<int32_t>::max();

/// Whether (value, id) goes before (best, bestId): it is larger, or as large and further
/// to the left. NaN is neither.
Value wins(VectorEmitter &e, Value value, Value id, Value best, Value bestId) {
  Value larger = arith::CmpFOp::create(e, arith::CmpFPredicate::OGT, value, best);
  Value equal = arith::CmpFOp::create(e, arith::CmpFPredicate::OEQ, value, best);
  Value lower = arith::CmpIOp::create(e, arith::CmpIPredicate::slt, id, bestId);
  return arith::OrIOp::create(e, larger, arith::AndIOp::create(e, equal, lower));
}

struct LowerArgmax : OpRewritePattern<BlockArgmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockArgmaxOp op, PatternRewriter &rewriter) const override {
    if (op->getNumResults())
      return rewriter.notifyMatchFailure(op, "expected buffers");
    VectorEmitter e(op.getLoc(), rewriter);
    int64_t segment = op.getSegment(), count = segment % 8 == 0 ? 8 : 1;
    Value x = op.getX(), values = op.getOutputs()[0], ids = op.getOutputs()[1];
    Type floats = e.vec(e.getF32Type(), count), ints = e.vec(e.getI32Type(), count),
         i32 = e.getI32Type();
    Value origin = arith::IndexCastOp::create(e, i32, op.getOrigin());
    e.loop(e.dim(values, 0), [&](Value row) {
      e.loop(e.dim(values, 1), [&](Value part) {
        Value first = e.mul(part, e.index(segment));
        Value base = e.add(origin, arith::IndexCastOp::create(e, i32, first));
        Value start = e.add(e.broadcast(ints, base), e.lanes(count));
        // Per lane the first of the largest, then over lanes the lowest column.
        SmallVector<Value> best =
            e.loop(e.index(0), e.index(segment), count,
                   {e.splat(floats, kMinusInfinity), e.splatInt(ints, kNoId)},
                   [&](Value column, ValueRange carried) {
                     Value v = e.load(floats, x, {row, e.add(first, column)});
                     Value here = e.add(
                         start, e.broadcast(ints, arith::IndexCastOp::create(e, i32, column)));
                     Value better = wins(e, v, here, carried[0], carried[1]);
                     return SmallVector<Value>{e.select(better, v, carried[0]),
                                               e.select(better, here, carried[1])};
                   });
        Value value = vector::ExtractOp::create(e, best[0], ArrayRef<int64_t>{0});
        Value id = vector::ExtractOp::create(e, best[1], ArrayRef<int64_t>{0});
        for (int64_t lane = 1; lane < count; ++lane) {
          Value v = vector::ExtractOp::create(e, best[0], ArrayRef<int64_t>{lane});
          Value i = vector::ExtractOp::create(e, best[1], ArrayRef<int64_t>{lane});
          Value better = wins(e, v, i, value, id);
          value = e.select(better, v, value);
          id = e.select(better, i, id);
        }
        memref::StoreOp::create(e, value, values, ValueRange{row, part});
        memref::StoreOp::create(e, id, ids, ValueRange{row, part});
      });
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerMerge : OpRewritePattern<BlockArgmaxMergeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockArgmaxMergeOp op, PatternRewriter &rewriter) const override {
    if (op->getNumResults())
      return rewriter.notifyMatchFailure(op, "expected buffers");
    VectorEmitter e(op.getLoc(), rewriter);
    Value values = op.getValues(), ids = op.getIds();
    e.loop(e.dim(values, 0), [&](Value row) {
      Value zero = e.index(0);
      SmallVector<Value> best =
          e.loop(e.index(1), e.dim(values, 1), 1,
                 {memref::LoadOp::create(e, values, ValueRange{row, zero}),
                  memref::LoadOp::create(e, ids, ValueRange{row, zero})},
                 [&](Value part, ValueRange carried) {
                   Value v = memref::LoadOp::create(e, values, ValueRange{row, part});
                   Value id = memref::LoadOp::create(e, ids, ValueRange{row, part});
                   Value better = wins(e, v, id, carried[0], carried[1]);
                   return SmallVector<Value>{e.select(better, v, carried[0]),
                                             e.select(better, id, carried[1])};
                 });
      Type i32 = e.getI32Type();
      Value none =
          arith::CmpIOp::create(e, arith::CmpIPredicate::eq, best[1], e.splatInt(i32, kNoId));
      Value id = e.select(none, e.splatInt(i32, 0), best[1]);
      memref::StoreOp::create(e, id, op.getOutputs()[0], ValueRange{row});
      memref::StoreOp::create(e, best[0], op.getOutputs()[1], ValueRange{row});
    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void mlir::quench::detail::populateArgmax(RewritePatternSet &patterns) {
  patterns.add<LowerArgmax, LowerMerge>(patterns.getContext());
}
