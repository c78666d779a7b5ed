//===- LegalizeFloats.cpp - fused multiply-add and f16 without hardware ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quench/Target/CPU/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHLEGALIZEFLOATS
#include "quench/Target/CPU/Passes.h.inc"

namespace {
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

/// Integer code on values of `type`'s shape.
struct Bits {
  ImplicitLocOpBuilder b;
  Type floats; // a scalar or vector of f32

  Type shaped(Type element) {
    if (auto vector = dyn_cast<VectorType>(floats))
      return VectorType::get(vector.getShape(), element);
    return element;
  }
  Type ints() { return shaped(b.getI32Type()); }
  Value i(int64_t value) {
    Type type = ints();
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(
          b, type, DenseElementsAttr::get(vector, Attribute(b.getI32IntegerAttr(value))));
    return arith::ConstantOp::create(b, type, b.getI32IntegerAttr(value));
  }
  Value f(double value) { return cast(floats, i(int64_t(llvm::bit_cast<uint32_t>(float(value))))); }
  Value cast(Type type, Value v) { return arith::BitcastOp::create(b, type, v); }
  Value shl(Value v, int64_t n) { return arith::ShLIOp::create(b, v, i(n)); }
  Value shr(Value v, int64_t n) { return arith::ShRUIOp::create(b, v, i(n)); }
  Value band(Value a, Value c) { return arith::AndIOp::create(b, a, c); }
  Value bor(Value a, Value c) { return arith::OrIOp::create(b, a, c); }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, a, c); }
  Value ult(Value a, Value c) { return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, a, c); }
  Value select(Value c, Value t, Value e) { return arith::SelectOp::create(b, c, t, e); }
};

Type elementOf(Value v) { return getElementTypeOrSelf(v.getType()); }

struct ExpandExtend : OpRewritePattern<arith::ExtFOp> {
  ExpandExtend(MLIRContext *context, bool f16) : OpRewritePattern(context), f16(f16) {}
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Type from = elementOf(op.getIn());
    if (!elementOf(op.getOut()).isF32() || !((from.isF16() && f16) || from.isBF16()))
      return failure();
    Bits x{ImplicitLocOpBuilder(op.getLoc(), rewriter), op.getOut().getType()};
    Value bits =
        arith::ExtUIOp::create(x.b, x.ints(), x.cast(x.shaped(x.b.getI16Type()), op.getIn()));
    if (from.isBF16()) {
      rewriter.replaceOp(op, x.cast(x.floats, x.shl(bits, 16)));
      return success();
    }
    Value sign = x.shl(x.band(bits, x.i(0x8000)), 16);
    Value magnitude = x.band(bits, x.i(0x7fff));
    // Exponent and mantissa in place, the exponent rebiased; infinities and NaN
    // once more. Subnormals are exact differences of normal numbers.
    Value shifted = x.shl(magnitude, 13);
    Value normal = x.add(shifted, x.i(112 << 23));
    Value special = x.add(normal, x.i(112 << 23));
    Value magic = x.i(113 << 23);
    Value small =
        x.cast(x.ints(), arith::SubFOp::create(x.b, x.cast(x.floats, x.add(shifted, magic)),
                                               x.cast(x.floats, magic)));
    Value result = x.select(x.ult(magnitude, x.i(0x0400)), small,
                            x.select(x.ult(magnitude, x.i(0x7c00)), normal, special));
    rewriter.replaceOp(op, x.cast(x.floats, x.bor(result, sign)));
    return success();
  }
  bool f16;
};

struct ExpandTruncate : OpRewritePattern<arith::TruncFOp> {
  ExpandTruncate(MLIRContext *context, bool f16) : OpRewritePattern(context), f16(f16) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type to = elementOf(op.getOut());
    if (!elementOf(op.getIn()).isF32() || !((to.isF16() && f16) || to.isBF16()))
      return failure();
    Bits x{ImplicitLocOpBuilder(op.getLoc(), rewriter), op.getIn().getType()};
    Value bits = x.cast(x.ints(), op.getIn());
    Value magnitude = x.band(bits, x.i(0x7fffffff));
    Value isNan = x.ult(x.i(0x7f800000), magnitude);
    Value result;
    if (to.isBF16()) {
      Value odd = x.band(x.shr(bits, 16), x.i(1));
      Value rounded = x.shr(x.add(bits, x.add(odd, x.i(0x7fff))), 16);
      result = x.select(isNan, x.bor(x.shr(bits, 16), x.i(0x40)), rounded);
    } else {
      Value sign = x.shr(x.band(bits, x.i(int64_t(0x80000000u))), 16);
      // Normal results: rebias, then round to even by adding just below half.
      Value odd = x.band(x.shr(magnitude, 13), x.i(1));
      Value normal = x.shr(
          x.add(magnitude, x.add(odd, x.i(int64_t(uint32_t(int32_t(-(112 << 23)) + 0xfff))))), 13);
      // Small results: adding 0.5 aligns the mantissa and the hardware rounds.
      Value magic = x.f(0.5);
      Value aligned = arith::AddFOp::create(x.b, x.cast(x.floats, magnitude), magic);
      Value small = arith::SubIOp::create(x.b, x.cast(x.ints(), aligned), x.cast(x.ints(), magic));
      Value infinite = x.select(isNan, x.i(0x7e00), x.i(0x7c00));
      Value finite = x.select(x.ult(magnitude, x.i(113 << 23)), small, normal);
      // 65520 and above round to infinity.
      Value unsigned16 = x.select(x.ult(magnitude, x.i(0x477ff000)), finite, infinite);
      result = x.bor(unsigned16, sign);
    }
    Value narrow = arith::TruncIOp::create(x.b, x.shaped(x.b.getI16Type()), result);
    rewriter.replaceOp(op, x.cast(op.getOut().getType(), narrow));
    return success();
  }
  bool f16;
};

struct LegalizeFloats : impl::QuenchLegalizeFloatsBase<LegalizeFloats> {
  using QuenchLegalizeFloatsBase::QuenchLegalizeFloatsBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    if (!fma)
      patterns.add<ExpandFma>(&getContext());
    patterns.add<ExpandExtend, ExpandTruncate>(&getContext(), !f16);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // What has no instruction would become a call of the C library, which a compiled
    // library does not have.
    WalkResult left = getOperation()->walk([](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
          isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
              math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
              math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op))
        return WalkResult::advance();
      op->emitOpError("has no expansion into instructions for ")
          << getElementTypeOrSelf(op->getResult(0))
          << "; supported: math.exp of f32, absf, absi, ceil, copysign, ctlz, cttz, ctpop, floor, "
             "fma, roundeven, sqrt, trunc";
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::quench
