//===- Embedding.cpp - rows of a packed weight by id ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PackedFormat.h"
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

  Value byte(Value super, Value at) {
    return memref::LoadOp::create(e, weights, ValueRange{group, super, at});
  }
  /// Byte by byte: LLVM 22 cannot select a load of two bytes as a vector on AArch64.
  Value half(Value super, int64_t offset) {
    Value at = e.add(e.index(offset), e.mul(lane, e.index(2)));
    Type i16 = e.getI16Type();
    auto wide = [&](int64_t i) -> Value {
      return arith::ExtUIOp::create(e, i16, byte(super, e.add(at, e.index(i))));
    };
    Value high = arith::ShLIOp::create(e, wide(1), e.splatInt(i16, 8));
    Value bits = arith::OrIOp::create(e, wide(0), high);
    return arith::ExtFOp::create(e, e.getF32Type(), e.bitcast(e.getF16Type(), bits));
  }
  /// The scale byte of a half, of which some bits count.
  Value groupScale(const BlockPlace &place, int64_t half, bool isSigned, int64_t shift = 0,
                   int64_t mask = 255) {
    Type i32 = e.getI32Type();
    Value loaded = byte(place.super, e.add(place.at(e, 8 * half), lane)), wide;
    if (isSigned) {
      wide = arith::ExtSIOp::create(e, i32, loaded);
    } else {
      wide = arith::ExtUIOp::create(e, i32, loaded);
      wide = arith::AndIOp::create(e, arith::ShRUIOp::create(e, wide, e.splatInt(i32, shift)),
                                   e.splatInt(i32, mask));
    }
    return arith::SIToFPOp::create(e, e.getF32Type(), wide);
  }

  /// Four codes of chunk i, as f32.
  Value chunk(const PackedFormat &packed, const BlockPlace &place, int64_t i) {
    Type ints = e.vec(e.getI32Type(), 4);
    auto load = [&](int64_t offset) -> Value {
      Value at = e.add(place.at(e, offset), e.mul(lane, e.index(4)));
      Value bytes = e.load(e.vec(e.getI8Type(), 4), weights, {group, place.super, at});
      return packed.signedBytes ? Value(arith::ExtSIOp::create(e, ints, bytes))
                                : Value(arith::ExtUIOp::create(e, ints, bytes));
    };
    auto field = [&](Value bytes, int64_t right, int64_t mask) -> Value {
      if (right > 0)
        bytes = arith::ShRUIOp::create(e, bytes, e.splatInt(ints, right));
      else if (right < 0)
        bytes = arith::ShLIOp::create(e, bytes, e.splatInt(ints, -right));
      return arith::AndIOp::create(e, bytes, e.splatInt(ints, mask));
    };
    return arith::SIToFPOp::create(e, e.vec(e.getF32Type(), 4),
                                   assembleChunk(e, packed, i, load, field));
  }

  void block(Value k, Value out, Value row) {
    PackedFormat packed(format);
    BlockPlace place(e, packed, k);
    Type floats = e.vec(e.getF32Type(), 4);
    Value d = half(place.super, 0), m = packed.hasMinimum ? half(place.super, 16) : Value();
    Value first = e.mul(k, e.index(32)), scale = d, minimum = m;
    for (int64_t i = 0; i < 8; ++i) {
      if (i % 4 == 0) {
        int64_t h = i / 4;
        if (packed.scales == GroupScales::PerHalf)
          scale = e.mul(d, groupScale(place, h, /*isSigned=*/true));
        if (packed.scales == GroupScales::PerHalfWithMinima) {
          scale = e.mul(d, groupScale(place, h, /*isSigned=*/false, 0, 15));
          minimum = e.mul(m, groupScale(place, h, /*isSigned=*/false, 4, 15));
        }
        if (packed.scales == GroupScales::PerBlock && i == 0) {
          scale = e.mul(d, groupScale(place, 0, /*isSigned=*/false));
          minimum = e.mul(m, groupScale(place, 1, /*isSigned=*/false));
        }
      }
      Value value = e.mul(e.broadcast(floats, scale), chunk(packed, place, i));
      if (minimum)
        value = packed.scales == GroupScales::None ? e.add(value, e.broadcast(floats, minimum))
                                                   : e.sub(value, e.broadcast(floats, minimum));
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
      Value steps = e.dim(op.getWeights(), 1);
      if (!op.getFormat().getFloatType())
        steps = e.mul(steps, e.index(PackedFormat(op.getFormat()).blocks()));
      e.loop(steps, [&](Value k) {
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
