//===- Embedding.cpp - rows of a packed weight by id ---===//
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
/// Exact decoding of one row: lane `lane` of group `group`.
struct RowDecoder {
  VectorEmitter &e;
  FormatAttrInterface format;
  Value weights, group, lane;

  /// Byte by byte: LLVM 22 cannot select a load of two bytes as a vector on AArch64.
  Value half(Value block, int64_t offset) {
    Value at = e.add(e.index(offset), e.mul(lane, e.index(2)));
    Type i16 = e.getI16Type();
    auto byte = [&](int64_t i) -> Value {
      Value column = e.add(at, e.index(i));
      Value loaded = memref::LoadOp::create(e, weights, ValueRange{group, block, column});
      return arith::ExtUIOp::create(e, i16, loaded);
    };
    Value high = arith::ShLIOp::create(e, byte(1), e.splatInt(i16, 8));
    Value bits = arith::OrIOp::create(e, byte(0), high);
    return arith::ExtFOp::create(e, e.getF32Type(), e.bitcast(e.getF16Type(), bits));
  }

  /// Four codes of chunk i, as f32.
  Value chunk(Value block, int64_t base, int64_t i, bool isSigned, int64_t shift) {
    Value at = e.add(e.index(base + 32 * i), e.mul(lane, e.index(4)));
    Value bytes = e.load(e.vec(e.getI8Type(), 4), weights, {group, block, at});
    Type ints = e.vec(e.getI32Type(), 4), floats = e.vec(e.getF32Type(), 4);
    Value wide;
    if (isSigned) {
      wide = arith::ExtSIOp::create(e, ints, bytes);
    } else {
      wide = arith::ExtUIOp::create(e, ints, bytes);
      wide = arith::AndIOp::create(e, arith::ShRUIOp::create(e, wide, e.splatInt(ints, shift)),
                                   e.splatInt(ints, 15));
    }
    return arith::SIToFPOp::create(e, floats, wide);
  }

  void block(Value block, Value out, Value row) {
    Type floats = e.vec(e.getF32Type(), 4);
    Value scale = e.broadcast(floats, half(block, 0)), first = e.mul(block, e.index(32));
    bool isSigned = isa<Q8_0Attr>(format);
    Value minimum = isSigned ? Value() : e.broadcast(floats, half(block, 16));
    for (int64_t i = 0; i < 8; ++i) {
      Value codes =
          isSigned ? chunk(block, 16, i, true, 0) : chunk(block, 32, i & 3, false, i < 4 ? 0 : 4);
      Value value = e.mul(scale, codes);
      if (minimum)
        value = e.add(value, minimum);
      e.store(value, out, {row, e.add(first, e.index(4 * i))});
    }
  }

  void element(Value k, Value out, Value row) {
    Value value = memref::LoadOp::create(e, weights, ValueRange{group, k, lane});
    if (!format.getFloatType().isF32())
      value = arith::ExtFOp::create(e, e.getF32Type(), value);
    memref::StoreOp::create(e, value, out, ValueRange{row, k});
  }
};

struct LowerEmbedding : OpRewritePattern<BlockEmbeddingOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockEmbeddingOp op, PatternRewriter &rewriter) const override {
    if (op->getNumResults())
      return rewriter.notifyMatchFailure(op, "expected buffers");
    VectorEmitter e(op.getLoc(), rewriter);
    Value out = op.getOutputs()[0], i32Zero = e.splatInt(e.getI32Type(), 0);
    Value last = e.splatInt(e.getI32Type(), int64_t(op.getRows()) - 1);
    e.loop(e.dim(op.getIds(), 0), [&](Value row) {
      Value id = memref::LoadOp::create(e, op.getIds(), ValueRange{row});
      id = arith::MinSIOp::create(e, arith::MaxSIOp::create(e, id, i32Zero), last);
      Value n = arith::IndexCastUIOp::create(e, e.getIndexType(), id), eight = e.index(8);
      RowDecoder decoder{e, op.getFormat(), op.getWeights(), arith::DivUIOp::create(e, n, eight),
                         arith::RemUIOp::create(e, n, eight)};
      e.loop(e.dim(op.getWeights(), 1), [&](Value k) {
        if (op.getFormat().getFloatType())
          decoder.element(k, out, row);
        else
          decoder.block(k, out, row);
      });
    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void mlir::quench::detail::populateEmbedding(RewritePatternSet &patterns) {
  patterns.add<LowerEmbedding>(patterns.getContext());
}
