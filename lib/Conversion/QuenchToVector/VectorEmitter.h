//===- VectorEmitter.h - vector code in a fixed order ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A builder for the code of block ops. Everything is written in vectors of eight
// f32 lanes whatever the target, so that the order of every sum is the same on
// all of them, and nothing here may be contracted or reassociated: where a fused
// multiply-add is meant, it says fma.
//
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_VECTOREMITTER_H
#define QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_VECTOREMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::quench {

class VectorEmitter : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  static constexpr int64_t kLanes = 8;

  VectorType vec(Type element, int64_t lanes = kLanes) { return VectorType::get({lanes}, element); }

  //===--- constants ------------------------------------------------------===//
  Value index(int64_t value) { return arith::ConstantIndexOp::create(*this, value); }
  /// `value` in every lane of `type` (or as a scalar), rounded to its element.
  Value splat(Type type, double value);
  Value splatInt(Type type, int64_t value);
  Value broadcast(Type type, Value scalar) {
    return vector::BroadcastOp::create(*this, type, scalar);
  }
  /// 0, 1, 2, … as i32 lanes.
  Value lanes(int64_t count = kLanes);

  //===--- arithmetic -----------------------------------------------------===//
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b) { return arith::DivFOp::create(*this, a, b); }
  Value fma(Value a, Value b, Value c);
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }
  /// a > b ? a : b, which is b where either is NaN.
  Value larger(Value a, Value b);
  Value bitcast(Type type, Value value);
  /// e^x within 2 ulp: exactly 1 at 0, 0 at -104 and below.
  Value exp(Value x);

  //===--- reductions -----------------------------------------------------===//
  /// ((0+4)+(2+6)) + ((1+5)+(3+7))
  Value sumLanes(Value v);
  Value maxLanes(Value v);

  //===--- memory ---------------------------------------------------------===//
  Value load(Type type, Value memref, ValueRange indices) {
    return vector::LoadOp::create(*this, type, memref, indices);
  }
  void store(Value value, Value memref, ValueRange indices) {
    vector::StoreOp::create(*this, value, memref, indices);
  }
  /// `count` <= lanes elements; the other lanes are 0.
  Value loadPart(VectorType type, Value memref, ValueRange indices, int64_t count);
  void storePart(Value value, Value memref, ValueRange indices, int64_t count);
  Value dim(Value memref, int64_t dim);

  //===--- control --------------------------------------------------------===//
  /// for (i = lower; i < upper; i += step), with `carried` values; the body
  /// returns their next values.
  SmallVector<Value> loop(Value lower, Value upper, int64_t step, ValueRange carried,
                          function_ref<SmallVector<Value>(Value i, ValueRange carried)> body);
  void loop(Value upper, function_ref<void(Value i)> body);
  /// The columns of a static row in groups of eight: body(column, count); full
  /// groups in a loop, then at most one with fewer.
  void columns(int64_t width, function_ref<void(Value column, int64_t count)> body);
};

} // namespace mlir::quench

#endif // QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_VECTOREMITTER_H
