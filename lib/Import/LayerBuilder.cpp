//===- LayerBuilder.cpp - the function of one layer ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LayerRoles.h"
#include "ModelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::quench;

namespace {
class LayerBuilder {
public:
  LayerBuilder(OpBuilder &builder, StringRef label, const ModelContext &model,
               const AttentionKind &attentionKind, func::FuncOp function)
      : builder(builder), label(label), model(model), attentionKind(attentionKind),
        function(function), positions(function.getArgument(1)), cache(function.getArgument(2)),
        layer(function.getArgument(3)) {}

  void build();

private:
  Location at(const Twine &name) { return namedLocation(builder, label + "." + name); }
  bool has(LayerRole role) const { return model.architecture.has(role); }
  /// The tensor for `role`, or its part of another.
  Value weight(LayerRole role);
  /// As it is called in the file, or the name of its role.
  StringRef nameOf(LayerRole role);

  Value linear(Value input, LayerRole role);
  /// `input` itself where layers have no such norm.
  Value norm(Value input, LayerRole role);
  Value rotate(Value input, LayerRole role);
  Value attention(Value input);
  Value feedForward(Value input);
  Value gateFunction(OpBuilder &body, Location location, Value gate);

  OpBuilder &builder;
  StringRef label;
  const ModelContext &model;
  const AttentionKind &attentionKind;
  func::FuncOp function;
  Value positions, cache, layer;
};
} // namespace

/// Whether a layer has a tensor for `role`, or one that it is a part of.
static bool hasPart(const ModelContext &model, LayerRole role) {
  std::optional<Part> part = partOf(role, model.parameters);
  return model.architecture.has(role) || (part && model.architecture.has(part->whole));
}

StringRef LayerBuilder::nameOf(LayerRole role) {
  for (const LayerTensor &tensor : model.architecture.layerTensors)
    if (tensor.role == role) {
      StringRef name = tensor.name;
      name.consume_back(".weight");
      return name;
    }
  return partOf(role, model.parameters)->name;
}

Value LayerBuilder::weight(LayerRole role) {
  for (auto [index, tensor] : llvm::enumerate(model.architecture.layerTensors))
    if (tensor.role == role)
      return function.getArgument(4 + index);
  Part part = *partOf(role, model.parameters);
  Value whole = weight(part.whole);
  auto type = cast<QTensorType>(whole.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = part.rows;
  return SliceOp::create(builder, at(part.name + ".part"),
                         QTensorType::get(builder.getContext(), shape, type.getFormat()), whole,
                         part.offset);
}

Value LayerBuilder::linear(Value input, LayerRole role) {
  Value result = buildLinear(builder, at(nameOf(role)), model, input, weight(role));
  std::optional<LayerRole> bias = biasOf(role);
  if (!bias || !hasPart(model, *bias))
    return result;
  Location location = at(nameOf(*bias));
  Value vector = weight(*bias);
  auto type =
      RankedTensorType::get(cast<QTensorType>(vector.getType()).getShape(), builder.getF32Type());
  vector = DequantizeOp::create(builder, location, type, vector);
  return buildElementwise(
      builder, location, {result, vector}, [&](OpBuilder &body, ValueRange elements) {
        return arith::AddFOp::create(body, location, elements[0], elements[1]).getResult();
      });
}

Value LayerBuilder::norm(Value input, LayerRole role) {
  if (!has(role))
    return input;
  std::optional<LayerRole> bias = biasOf(role);
  return buildNorm(builder, at(nameOf(role)), model, input, weight(role),
                   bias && has(*bias) ? weight(*bias) : Value());
}

Value LayerBuilder::rotate(Value input, LayerRole role) {
  if (model.architecture.positions != PositionKind::Rotary)
    return input;
  return RopeOp::create(builder, at(nameOf(role) + ".rope"), input.getType(), input, positions,
                        model.parameters.headDim, model.architecture.ropeStyle,
                        attentionKind.inverseFrequencies);
}

Value LayerBuilder::attention(Value input) {
  Value query = linear(input, LayerRole::Query);
  Value key = linear(input, LayerRole::Key);
  Value value = linear(input, LayerRole::Value);
  query = rotate(norm(query, LayerRole::QueryNorm), LayerRole::Query);
  key = rotate(norm(key, LayerRole::KeyNorm), LayerRole::Key);
  IntegerAttr window =
      attentionKind.window ? builder.getI64IntegerAttr(attentionKind.window) : IntegerAttr();
  Value mixed =
      AttentionOp::create(builder, at("attn"), query.getType(), query, key, value, positions, cache,
                          layer, /*sequences=*/Value(), /*mask=*/Value(),
                          builder.getF32FloatAttr(model.parameters.attentionScale), window);
  return linear(mixed, LayerRole::AttentionOutput);
}

Value LayerBuilder::gateFunction(OpBuilder &body, Location location, Value gate) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(body, location,
                                     body.getF32FloatAttr(static_cast<float>(value)));
  };
  // Both are gate / (1 + exp(-a)).
  Value one = constant(1), negated;
  switch (model.architecture.gate) {
  case GateFunction::SiLU:
    negated = arith::NegFOp::create(body, location, gate);
    break;
  case GateFunction::GeluTanh: {
    // (1 + tanh(u)) / 2 is 1 / (1 + exp(-2u)), which loses nothing where tanh is near -1.
    double factor = 2 * std::sqrt(2 / M_PI);
    Value square = arith::MulFOp::create(body, location, gate, gate);
    Value cubic = arith::MulFOp::create(body, location, square, constant(-factor * 0.044715));
    Value slope = arith::AddFOp::create(body, location, cubic, constant(-factor));
    negated = arith::MulFOp::create(body, location, gate, slope);
    break;
  }
  }
  Value power = math::ExpOp::create(body, location, negated);
  Value divisor = arith::AddFOp::create(body, location, power, one);
  return arith::DivFOp::create(body, location, gate, divisor);
}

Value LayerBuilder::feedForward(Value input) {
  SmallVector<Value> halves;
  if (hasPart(model, LayerRole::Gate))
    halves.push_back(linear(input, LayerRole::Gate));
  halves.push_back(linear(input, LayerRole::Up));
  Location location = at("ffn_gated");
  Value gated =
      buildElementwise(builder, location, halves, [&](OpBuilder &body, ValueRange elements) {
        Value shaped = gateFunction(body, location, elements[0]);
        return elements.size() == 1
                   ? shaped
                   : arith::MulFOp::create(body, location, shaped, elements[1]).getResult();
      });
  return linear(gated, LayerRole::Down);
}

void LayerBuilder::build() {
  Value rows = function.getArgument(0);
  Value mixed = norm(attention(norm(rows, LayerRole::AttentionNorm)), LayerRole::PostAttentionNorm);
  rows = arith::AddFOp::create(builder, at("attn_residual"), rows, mixed);
  Value fed =
      norm(feedForward(norm(rows, LayerRole::FeedForwardNorm)), LayerRole::PostFeedForwardNorm);
  rows = arith::AddFOp::create(builder, at("ffn_residual"), rows, fed);
  func::ReturnOp::create(builder, at("return"), rows);
}

func::FuncOp mlir::quench::buildLayer(OpBuilder &builder, StringRef name, StringRef label,
                                      const ModelContext &model, const AttentionKind &attention,
                                      ArrayRef<Type> weightTypes) {
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
    locations.push_back(namedLocation(builder, tensor.name));

  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&function.getBody(), {}, arguments, locations);
  LayerBuilder(builder, label, model, attention, function).build();
  return function;
}
