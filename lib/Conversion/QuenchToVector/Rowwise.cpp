//===- Rowwise.cpp - norm, quantization and rope ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "VectorEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

namespace {
template <typename OpTy> struct RowwisePattern : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  virtual void lower(OpTy op, VectorEmitter &e) const = 0;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (op->getNumResults())
      return rewriter.notifyMatchFailure(op, "expected buffers");
    VectorEmitter e(op.getLoc(), rewriter);
    lower(op, e);
    rewriter.eraseOp(op);
    return success();
  }
};

int64_t columnsOf(Value value) { return cast<MemRefType>(value.getType()).getDimSize(1); }

struct LowerNorm : RowwisePattern<BlockNormOp> {
  using RowwisePattern::RowwisePattern;

  /// Sum of f(x) over `width` columns from `first`: eight lanes over ascending columns,
  /// missing ones 0.
  static Value sumRow(VectorEmitter &e, Value x, Value row, Value first, int64_t width,
                      function_ref<Value(Value v, Value sum)> step,
                      function_ref<Value(Value v, int64_t count)> tail) {
    VectorType lanes = e.vec(e.getF32Type());
    int64_t full = width / 8 * 8;
    Value sum = e.splat(lanes, 0.0);
    if (full)
      sum = e.loop(e.index(0), e.index(full), 8, {sum}, [&](Value column, ValueRange carried) {
        return SmallVector<Value>{step(e.load(lanes, x, {row, e.add(first, column)}), carried[0])};
      })[0];
    if (full != width)
      sum = step(tail(e.loadPart(lanes, x, {row, e.add(first, e.index(full))}, width - full),
                      width - full),
                 sum);
    return e.sumLanes(sum);
  }

  void lower(BlockNormOp op, VectorEmitter &e) const override {
    Value x = op.getX(), out = op.getOutputs()[0];
    int64_t width = cast<MemRefType>(op.getWeight().getType()).getDimSize(0);
    Type f32 = e.getF32Type();
    VectorType lanes = e.vec(f32);
    bool centred = op.getKind() == NormKind::Layer;
    Value size = e.splat(f32, double(width));
    Value eps = arith::ConstantOp::create(e, op.getEpsAttr());
    auto normalise = [&](Value row, Value first) {
      auto same = [](Value v, int64_t) { return v; };
      Value mean;
      if (centred)
        mean = e.div(
            sumRow(
                e, x, row, first, width, [&](Value v, Value sum) { return e.add(sum, v); }, same),
            size);
      auto centre = [&](Value v) { return mean ? e.sub(v, e.broadcast(lanes, mean)) : v; };
      auto padded = [&](Value v, int64_t count) -> Value {
        // Lanes past the end hold 0; make them the mean, so that they add 0.
        if (!mean)
          return v;
        Value mask =
            vector::CreateMaskOp::create(e, e.vec(e.getI1Type()), ValueRange{e.index(count)});
        return e.select(mask, v, e.broadcast(lanes, mean));
      };
      Value squares = sumRow(
          e, x, row, first, width,
          [&](Value v, Value sum) {
            Value c = centre(v);
            return e.fma(c, c, sum);
          },
          padded);
      Value root = math::SqrtOp::create(e, e.add(e.div(squares, size), eps));
      Value scale = e.broadcast(lanes, e.div(e.splat(f32, 1.0), root));
      e.columns(width, [&](Value column, int64_t count) {
        Value place = e.add(first, column);
        Value v = centre(e.loadPart(lanes, x, {row, place}, count));
        Value y = e.mul(e.mul(v, scale), e.loadPart(lanes, op.getWeight(), {column}, count));
        if (op.getBias())
          y = e.add(y, e.loadPart(lanes, op.getBias(), {column}, count));
        e.storePart(y, out, {row, place}, count);
      });
    };
    e.loop(e.dim(x, 0), [&](Value row) {
      e.loop(e.index(0), e.index(columnsOf(x)), width, {}, [&](Value first, ValueRange) {
        normalise(row, first);
        return SmallVector<Value>();
      });
    });
  }
};

struct LowerQuantize : RowwisePattern<BlockQuantizeOp> {
  using RowwisePattern::RowwisePattern;

  void lower(BlockQuantizeOp op, VectorEmitter &e) const override {
    Value x = op.getX(), codes = op.getOutputs()[0], scales = op.getOutputs()[1],
          sums = op.getOutputs()[2];
    Type f32 = e.getF32Type(), i32 = e.getI32Type();
    Type floats = e.vec(f32), ints = e.vec(i32);
    e.loop(e.dim(x, 0), [&](Value row) {
      e.loop(e.dim(scales, 1), [&](Value block) {
        Value column = e.mul(block, e.index(32));
        Value v[4], largest;
        for (int64_t i = 0; i < 4; ++i) {
          v[i] = e.load(floats, x, {row, e.add(column, e.index(8 * i))});
          // Magnitudes compare like integers, and a NaN is above all.
          Value magnitude =
              arith::AndIOp::create(e, e.bitcast(ints, v[i]), e.splatInt(ints, 0x7fffffff));
          largest = largest ? Value(arith::MaxSIOp::create(e, largest, magnitude)) : magnitude;
        }
        Value amax =
            e.bitcast(f32, vector::ReductionOp::create(e, vector::CombiningKind::MAXSI, largest));
        Value scale = e.div(amax, e.splat(f32, 127.0));
        // Below 2^-100 the reciprocal would overflow; all codes are 0 there.
        Value large =
            arith::CmpFOp::create(e, arith::CmpFPredicate::OGE, amax, e.splat(f32, 0x1p-100));
        Value inverse = e.select(large, e.div(e.splat(f32, 127.0), amax), e.splat(f32, 0.0));
        Value factor = e.broadcast(floats, inverse), magic = e.splat(floats, 12582912.0), total;
        for (int64_t i = 0; i < 4; ++i) {
          // Adding 1.5 * 2^23 rounds to even and leaves the integer in the low bits.
          Value shifted = e.add(e.mul(v[i], factor), magic);
          Value code = e.sub(e.bitcast(ints, shifted), e.splatInt(ints, 0x4B400000));
          total = total ? e.add(total, code) : code;
          Value bytes = arith::TruncIOp::create(e, e.vec(e.getI8Type()), code);
          e.store(bytes, codes, {row, e.add(column, e.index(8 * i))});
        }
        Value sum = vector::ReductionOp::create(e, vector::CombiningKind::ADD, total);
        memref::StoreOp::create(e, scale, scales, ValueRange{row, block});
        memref::StoreOp::create(e, e.mul(scale, arith::SIToFPOp::create(e, f32, sum)), sums,
                                ValueRange{row, block});
      });
    });
  }
};

struct LowerRopeTable : RowwisePattern<BlockRopeTableOp> {
  using RowwisePattern::RowwisePattern;

  void lower(BlockRopeTableOp op, VectorEmitter &e) const override {
    ArrayRef<float> frequencies = op.getInvFreq();
    int64_t half = frequencies.size();
    Value out = op.getOutputs()[0];
    VectorType floats = e.vec(e.getF32Type());
    e.loop(e.dim(out, 0), [&](Value row) {
      Value position = memref::LoadOp::create(e, op.getPositions(), ValueRange{row});
      Value p = e.broadcast(floats, arith::SIToFPOp::create(e, e.getF32Type(), position));
      for (int64_t first = 0; first < half; first += 8) {
        int64_t count = std::min<int64_t>(8, half - first);
        SmallVector<float> f(8, 0.0f);
        llvm::copy(frequencies.slice(first, count), f.begin());
        Value angle = e.mul(p, arith::ConstantOp::create(
                                   e, floats, DenseElementsAttr::get(floats, ArrayRef<float>(f))));
        auto [cosine, sine] = cosineAndSine(e, angle);
        e.storePart(cosine, out, {row, e.index(first)}, count);
        e.storePart(sine, out, {row, e.index(half + first)}, count);
      }
    });
  }

  /// In f64 with plain multiplications and additions, so that the rounding to f32
  /// is the same everywhere: reduction by pi/2 in three parts, of which the first two
  /// have so few bits that their multiples are exact for angles up to 2^24, then the
  /// Taylor polynomials on [-pi/4, pi/4].
  static std::pair<Value, Value> cosineAndSine(VectorEmitter &e, Value angle) {
    VectorType doubles = e.vec(e.getF64Type()), floats = e.vec(e.getF32Type()),
               longs = e.vec(e.getI64Type());
    auto d = [&](double value) { return e.splat(doubles, value); };
    auto l = [&](int64_t value) { return e.splatInt(longs, value); };
    Value x = arith::ExtFOp::create(e, doubles, angle);
    Value magic = d(6755399441055744.0); // 1.5 * 2^52
    Value shifted = e.add(e.mul(x, d(0.63661977236758134308)), magic);
    Value n = e.sub(shifted, magic);
    Value r = e.sub(e.sub(x, e.mul(n, d(0x1.921fb5p+0))), e.mul(n, d(0x1.110b461p-26)));
    r = e.sub(r, e.mul(n, d(0x1.a62633145c06ep-58)));
    Value z = e.mul(r, r);
    auto polynomial = [&](std::initializer_list<double> coefficients) {
      Value p;
      for (double c : coefficients)
        p = p ? e.add(e.mul(p, z), d(c)) : d(c);
      return p;
    };
    Value sine =
        e.mul(r, polynomial({-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
                             1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0}));
    Value cosine =
        polynomial({1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0,
                    -1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0});
    Value quadrant = e.bitcast(longs, shifted);
    auto bit = [&](Value q, int64_t mask) -> Value {
      return arith::CmpIOp::create(e, arith::CmpIPredicate::ne,
                                   arith::AndIOp::create(e, q, l(mask)), l(0));
    };
    Value odd = bit(quadrant, 1);
    auto negate = [&](Value condition, Value v) {
      return e.select(condition, e.sub(d(0.0), v), v);
    };
    Value cosineResult = negate(bit(e.add(quadrant, l(1)), 2), e.select(odd, sine, cosine));
    Value sineResult = negate(bit(quadrant, 2), e.select(odd, cosine, sine));
    auto round = [&](Value v) -> Value { return arith::TruncFOp::create(e, floats, v); };
    return {round(cosineResult), round(sineResult)};
  }
};

struct LowerRope : RowwisePattern<BlockRopeOp> {
  using RowwisePattern::RowwisePattern;

  void lower(BlockRopeOp op, VectorEmitter &e) const override {
    Value x = op.getX(), table = op.getTable(), out = op.getOutputs()[0];
    int64_t dim = op.getDim(), half = columnsOf(table) / 2, width = columnsOf(x);
    // Elements do not interact, so any vector length gives the same numbers.
    int64_t count = 8;
    while (half % count != 0)
      count /= 2;
    VectorType floats = e.vec(e.getF32Type());
    VectorType lanes = e.vec(e.getF32Type(), count), pairs = e.vec(e.getF32Type(), 2 * count);
    e.loop(e.dim(x, 0), [&](Value row) {
      e.loop(e.index(0), e.index(width), dim, {}, [&](Value head, ValueRange) {
        e.loop(e.index(0), e.index(half), count, {}, [&](Value i, ValueRange) {
          Value cosine = e.load(lanes, table, {row, i});
          Value sine = e.load(lanes, table, {row, e.add(i, e.index(half))});
          auto rotate = [&](Value u, Value v) {
            return std::pair<Value, Value>(e.sub(e.mul(u, cosine), e.mul(v, sine)),
                                           e.add(e.mul(v, cosine), e.mul(u, sine)));
          };
          if (op.getStyle() == RopeStyle::Halves) {
            Value low = e.add(head, i), high = e.add(low, e.index(half));
            auto [u, v] = rotate(e.load(lanes, x, {row, low}), e.load(lanes, x, {row, high}));
            e.store(u, out, {row, low});
            e.store(v, out, {row, high});
          } else {
            Value at = e.add(head, e.mul(i, e.index(2)));
            auto split = vector::DeinterleaveOp::create(e, e.load(pairs, x, {row, at}));
            auto [u, v] = rotate(split.getRes1(), split.getRes2());
            e.store(vector::InterleaveOp::create(e, u, v), out, {row, at});
          }
          return SmallVector<Value>();
        });
        e.columns(dim - 2 * half, [&](Value column, int64_t kept) {
          Value place = e.add(head, e.add(column, e.index(2 * half)));
          e.storePart(e.loadPart(floats, x, {row, place}, kept), out, {row, place}, kept);
        });
        return SmallVector<Value>();
      });
    });
  }
};
} // namespace

void mlir::quench::detail::populateRowwise(RewritePatternSet &patterns) {
  patterns.add<LowerNorm, LowerQuantize, LowerRopeTable, LowerRope>(patterns.getContext());
}
