//===- RowOps.cpp - ops on rows that layers and entries share --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;

RankedTensorType ModelContext::rowsType(int64_t features) const {
  return RankedTensorType::get({ShapedType::kDynamic, features}, Float32Type::get(context()));
}

RankedTensorType ModelContext::idsType() const {
  return RankedTensorType::get({ShapedType::kDynamic}, IntegerType::get(context(), 32));
}

Location mlir::quench::namedLocation(OpBuilder &builder, const Twine &name) {
  return NameLoc::get(builder.getStringAttr(name));
}

Value mlir::quench::buildLinear(OpBuilder &builder, Location location, const ModelContext &model,
                                Value input, Value weight) {
  auto type = cast<QTensorType>(weight.getType());
  Activations activations = type.getFormat().getFloatType() ? Activations::F32 : model.activations;
  return LinearOp::create(builder, location, TypeRange{model.rowsType(type.getShape()[0])}, input,
                          ValueRange{weight}, activations)
      .getResult(0);
}

Value mlir::quench::buildNorm(OpBuilder &builder, Location location, const ModelContext &model,
                              Value input, Value weight, Value bias) {
  FloatAttr epsilon = builder.getF32FloatAttr(model.parameters.epsilon);
  if (model.architecture.norm == NormKind::RMS)
    return RMSNormOp::create(builder, location, input.getType(), input, weight, epsilon);
  return LayerNormOp::create(builder, location, input.getType(), input, weight, bias, epsilon);
}

Value mlir::quench::buildElementwise(OpBuilder &builder, Location location, ValueRange inputs,
                                     function_ref<Value(OpBuilder &, ValueRange)> body) {
  auto type = cast<RankedTensorType>(inputs[0].getType());
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  Value rows = tensor::DimOp::create(builder, location, inputs[0], zero);
  Value empty = tensor::EmptyOp::create(builder, location, type, rows);
  AffineMap full = builder.getMultiDimIdentityMap(2), columns = full.getMinorSubMap(1);
  auto maps = llvm::map_to_vector(inputs, [&](Value input) {
    return cast<RankedTensorType>(input.getType()).getRank() == 1 ? columns : full;
  });
  maps.push_back(full);
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, location, type, inputs, ValueRange{empty}, maps, iterators,
      [&](OpBuilder &inner, Location, ValueRange elements) {
        linalg::YieldOp::create(inner, location, body(inner, elements.drop_back()));
      });
  return generic.getResult(0);
}
