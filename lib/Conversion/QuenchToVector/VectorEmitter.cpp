//===- VectorEmitter.cpp - vector code in a fixed order ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quench;

static Attribute scalarAttr(Builder &b, Type element, double value) {
  return b.getFloatAttr(element, value);
}

Value VectorEmitter::splat(Type type, double value) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        *this, type,
        DenseElementsAttr::get(vector, scalarAttr(*this, vector.getElementType(), value)));
  return arith::ConstantOp::create(*this, type, cast<TypedAttr>(scalarAttr(*this, type, value)));
}

Value VectorEmitter::splatInt(Type type, int64_t value) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        *this, type,
        DenseElementsAttr::get(vector, Attribute(getIntegerAttr(vector.getElementType(), value))));
  return arith::ConstantOp::create(*this, type, getIntegerAttr(type, value));
}

Value VectorEmitter::lanes(int64_t count) {
  SmallVector<int32_t> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(i);
  return arith::ConstantOp::create(*this, vec(getI32Type(), count), getI32VectorAttr(values));
}

static bool isFloat(Value v) { return isa<FloatType>(getElementTypeOrSelf(v.getType())); }

Value VectorEmitter::add(Value a, Value b) {
  return isFloat(a) ? Value(arith::AddFOp::create(*this, a, b))
                    : Value(arith::AddIOp::create(*this, a, b));
}
Value VectorEmitter::sub(Value a, Value b) {
  return isFloat(a) ? Value(arith::SubFOp::create(*this, a, b))
                    : Value(arith::SubIOp::create(*this, a, b));
}
Value VectorEmitter::mul(Value a, Value b) {
  return isFloat(a) ? Value(arith::MulFOp::create(*this, a, b))
                    : Value(arith::MulIOp::create(*this, a, b));
}
Value VectorEmitter::fma(Value a, Value b, Value c) { return math::FmaOp::create(*this, a, b, c); }

Value VectorEmitter::larger(Value a, Value b) {
  return select(arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, a, b), a, b);
}

Value VectorEmitter::bitcast(Type type, Value value) {
  if (isa<VectorType>(type))
    return vector::BitCastOp::create(*this, type, value);
  return arith::BitcastOp::create(*this, type, value);
}

// x = n ln 2 + r with |r| <= ln 2 / 2, then a polynomial of degree 6 (the
// coefficients are those of Cephes' expf) times 2^n in two factors, so that
// results below the smallest normal number round once.
Value VectorEmitter::exp(Value x) {
  Type type = x.getType(), integers = getI32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    integers = vec(getI32Type(), vector.getNumElements());
  auto f = [&](double value) { return splat(type, value); };
  auto i = [&](int64_t value) { return splatInt(integers, value); };
  auto less = [&](Value a, Value b) -> Value {
    return arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, a, b);
  };
  Value low = f(-104.0), high = f(89.0);
  Value zero = arith::CmpFOp::create(*this, arith::CmpFPredicate::OLE, x, low);
  Value bounded = select(less(x, low), low, select(less(high, x), high, x));
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits.
  Value magic = f(12582912.0);
  Value shifted = add(mul(bounded, f(1.44269504088896341)), magic);
  Value n = sub(shifted, magic);
  Value whole = sub(bitcast(integers, shifted), i(0x4B400000));
  Value r = fma(n, f(-0.693359375), bounded);
  r = fma(n, f(2.12194440e-4), r);
  Value p = f(1.9875691500e-4);
  for (double c :
       {1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1})
    p = fma(p, r, f(c));
  Value y = add(fma(p, mul(r, r), r), f(1.0));
  Value half = arith::ShRSIOp::create(*this, whole, i(1));
  auto power = [&](Value exponent) {
    return bitcast(type, arith::ShLIOp::create(*this, add(exponent, i(127)), i(23)));
  };
  Value result = mul(mul(y, power(half)), power(sub(whole, half)));
  return select(zero, f(0.0), result);
}

static Value shuffle(VectorEmitter &e, Value v, ArrayRef<int64_t> lanes) {
  return vector::ShuffleOp::create(e, v, v, lanes);
}

Value VectorEmitter::sumLanes(Value v) {
  Value four = add(shuffle(*this, v, {0, 1, 2, 3}), shuffle(*this, v, {4, 5, 6, 7}));
  Value two = add(shuffle(*this, four, {0, 1}), shuffle(*this, four, {2, 3}));
  return add(vector::ExtractOp::create(*this, two, ArrayRef<int64_t>{0}),
             vector::ExtractOp::create(*this, two, ArrayRef<int64_t>{1}));
}

Value VectorEmitter::maxLanes(Value v) {
  Value four = larger(shuffle(*this, v, {0, 1, 2, 3}), shuffle(*this, v, {4, 5, 6, 7}));
  Value two = larger(shuffle(*this, four, {0, 1}), shuffle(*this, four, {2, 3}));
  return larger(vector::ExtractOp::create(*this, two, ArrayRef<int64_t>{0}),
                vector::ExtractOp::create(*this, two, ArrayRef<int64_t>{1}));
}

Value VectorEmitter::loadPart(VectorType type, Value memref, ValueRange indices, int64_t count) {
  if (count == type.getNumElements())
    return load(type, memref, indices);
  auto maskType = VectorType::get(type.getShape(), getI1Type());
  Value mask = vector::CreateMaskOp::create(*this, maskType, ValueRange{index(count)});
  Value zeros = arith::ConstantOp::create(*this, type, getZeroAttr(type));
  return vector::MaskedLoadOp::create(*this, type, memref, indices, mask, zeros);
}

void VectorEmitter::storePart(Value value, Value memref, ValueRange indices, int64_t count) {
  auto type = cast<VectorType>(value.getType());
  if (count == type.getNumElements())
    return store(value, memref, indices);
  auto maskType = VectorType::get(type.getShape(), getI1Type());
  Value mask = vector::CreateMaskOp::create(*this, maskType, ValueRange{index(count)});
  vector::MaskedStoreOp::create(*this, memref, indices, mask, value);
}

Value VectorEmitter::dim(Value memref, int64_t dim) {
  int64_t size = cast<MemRefType>(memref.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return index(size);
  return memref::DimOp::create(*this, memref, index(dim));
}

SmallVector<Value> VectorEmitter::loop(Value lower, Value upper, int64_t step, ValueRange carried,
                                       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(*this, lower, upper, index(step), carried);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty()) {
    setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(*this, next);
  }
  return SmallVector<Value>(loop.getResults());
}

void VectorEmitter::loop(Value upper, function_ref<void(Value)> body) {
  loop(index(0), upper, 1, {}, [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

void VectorEmitter::columns(int64_t width, function_ref<void(Value, int64_t)> body) {
  int64_t full = width / kLanes * kLanes;
  if (full)
    loop(index(0), index(full), kLanes, {}, [&](Value column, ValueRange) {
      body(column, kLanes);
      return SmallVector<Value>();
    });
  if (full != width)
    body(index(full), width - full);
}
