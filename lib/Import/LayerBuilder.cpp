//===- LayerBuilder.cpp - the function of one layer ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;

namespace {
class LayerBuilder {
public:
  LayerBuilder(OpBuilder &builder, StringRef label, const ModelContext &model,
               func::FuncOp function)
      : builder(builder), label(label), model(model), function(function),
        positions(function.getArgument(1)), cache(function.getArgument(2)),
        layer(function.getArgument(3)) {}

  void build();

private:
  Location at(const Twine &name) { return namedLocation(builder, label + "." + name); }
  Value weight(LayerRole role) { return function.getArgument(4 + indexOf(role)); }
  StringRef nameOf(LayerRole role) { return model.architecture.layerTensors[indexOf(role)].name; }
  unsigned indexOf(LayerRole role);

  Value linear(Value input, LayerRole role) {
    return buildLinear(builder, at(nameOf(role)), model, input, weight(role));
  }
  Value norm(Value input, LayerRole role) {
    return buildNorm(builder, at(nameOf(role)), model, input, weight(role));
  }
  Value rotate(Value input, LayerRole role);
  Value attention(Value input);
  Value feedForward(Value input);
  Value gated(Value gate, Value up);
  Value gateFunction(OpBuilder &body, Location location, Value gate);

  OpBuilder &builder;
  StringRef label;
  const ModelContext &model;
  func::FuncOp function;
  Value positions, cache, layer;
};
} // namespace

unsigned LayerBuilder::indexOf(LayerRole role) {
  ArrayRef<LayerTensor> tensors = model.architecture.layerTensors;
  return llvm::find_if(tensors, [&](const LayerTensor &tensor) { return tensor.role == role; }) -
         tensors.begin();
}

Value LayerBuilder::rotate(Value input, LayerRole role) {
  return RopeOp::create(builder, at(nameOf(role) + ".rope"), input.getType(), input, positions,
                        model.parameters.headDim, model.architecture.ropeStyle,
                        model.parameters.inverseFrequencies);
}

Value LayerBuilder::attention(Value input) {
  Value query = linear(input, LayerRole::Query);
  Value key = linear(input, LayerRole::Key);
  Value value = linear(input, LayerRole::Value);
  query = rotate(query, LayerRole::Query);
  key = rotate(key, LayerRole::Key);
  Value mixed =
      AttentionOp::create(builder, at("attn"), query.getType(), query, key, value, positions, cache,
                          layer, /*sequences=*/Value(), /*mask=*/Value(),
                          builder.getF32FloatAttr(model.parameters.attentionScale));
  return linear(mixed, LayerRole::AttentionOutput);
}

Value LayerBuilder::gateFunction(OpBuilder &body, Location location, Value gate) {
  switch (model.architecture.gate) {
  case GateFunction::SiLU: {
    Value one = arith::ConstantOp::create(body, location, body.getF32FloatAttr(1));
    Value negated = arith::NegFOp::create(body, location, gate);
    Value power = math::ExpOp::create(body, location, negated);
    Value divisor = arith::AddFOp::create(body, location, power, one);
    return arith::DivFOp::create(body, location, gate, divisor);
  }
  }
  llvm_unreachable("every gate function has a form");
}

Value LayerBuilder::gated(Value gate, Value up) {
  Location location = at("ffn_gated");
  auto type = cast<RankedTensorType>(gate.getType());
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  Value rows = tensor::DimOp::create(builder, location, gate, zero);
  Value empty = tensor::EmptyOp::create(builder, location, type, rows);
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  SmallVector<AffineMap> maps(3, identity);
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, location, type, ValueRange{gate, up}, ValueRange{empty}, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange elements) {
        Value shaped = gateFunction(body, location, elements[0]);
        Value product = arith::MulFOp::create(body, location, shaped, elements[1]);
        linalg::YieldOp::create(body, location, product);
      });
  return generic.getResult(0);
}

Value LayerBuilder::feedForward(Value input) {
  Value gate = linear(input, LayerRole::Gate);
  Value up = linear(input, LayerRole::Up);
  return linear(gated(gate, up), LayerRole::Down);
}

void LayerBuilder::build() {
  Value rows = function.getArgument(0);
  Value mixed = attention(norm(rows, LayerRole::AttentionNorm));
  rows = arith::AddFOp::create(builder, at("attn_residual"), rows, mixed);
  Value fed = feedForward(norm(rows, LayerRole::FeedForwardNorm));
  rows = arith::AddFOp::create(builder, at("ffn_residual"), rows, fed);
  func::ReturnOp::create(builder, at("return"), rows);
}

func::FuncOp mlir::quench::buildLayer(OpBuilder &builder, StringRef name, StringRef label,
                                      const ModelContext &model, ArrayRef<Type> weightTypes) {
  Type rows = model.rowsType(model.parameters.embedding);
  SmallVector<Type> arguments = {rows, model.idsType(), model.cacheType, builder.getIndexType()};
  llvm::append_range(arguments, weightTypes);
  auto function = func::FuncOp::create(builder, namedLocation(builder, label), name,
                                       builder.getFunctionType(arguments, rows));
  function.setPrivate();

  SmallVector<Location> locations = {
      namedLocation(builder, "rows"), namedLocation(builder, "positions"),
      namedLocation(builder, "cache"), namedLocation(builder, "layer")};
  for (const LayerTensor &tensor : model.architecture.layerTensors)
    locations.push_back(namedLocation(builder, tensor.name + ".weight"));

  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&function.getBody(), {}, arguments, locations);
  LayerBuilder(builder, label, model, function).build();
  return function;
}
