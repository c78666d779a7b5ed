//===- ModelBuilder.cpp - weights, trunk and entries of a module -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Program/LayerNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quench;

/// Layers that one function calls. Bufferization compares every two calls that update a
/// buffer, within a function: in groups the time grows with the layers, not their square.
static constexpr int64_t kGroupLayers = 8;

namespace {
class ModelBuilder {
public:
  ModelBuilder(ModuleOp module, const ModelContext &model, const ModelWeights &weights)
      : builder(OpBuilder::atBlockEnd(module.getBody())), model(model), weights(weights) {}

  void build();

private:
  Location at(const Twine &name) { return namedLocation(builder, name); }
  void declare(const ModelWeight &weight) {
    WeightOp::create(builder, at(weight.label()), weight.symbol, weight.type, weight.key,
                     weight.hash);
  }
  Value use(const ModelWeight &weight) {
    return GetWeightOp::create(builder, at(weight.label()), weight.type, weight.symbol);
  }

  void declareWeights();
  void buildLayers();
  Value buildEmbedding(Value tokens, Value positions);
  /// All layers. Rows come in and go out, so that bufferization updates them in place
  /// and the entries can share one function: it needs no buffer for its result.
  void buildTrunk();
  /// Calls of some layers, on the state that the trunk has too.
  func::FuncOp buildGroup(int64_t first, int64_t last);
  func::FuncOp beginRowsFunction(const Twine &name);
  Value callLayer(int64_t layer, ValueRange state);
  /// An entry that commits its tokens; `finish` makes results of the trunk's rows.
  void buildEntry(StringRef name, ArrayRef<Type> results,
                  function_ref<SmallVector<Value>(Value)> finish);
  Value buildLogits(Value rows);
  func::FuncOp beginFunction(StringRef name, ArrayRef<Type> arguments, ArrayRef<Type> results,
                             ArrayRef<StringRef> argumentNames);

  OpBuilder builder;
  const ModelContext &model;
  const ModelWeights &weights;
  SmallVector<func::FuncOp> layerFunctions; // one per layer, repeated where shared
  func::FuncOp trunk;
};
} // namespace

void ModelBuilder::declareWeights() {
  forEachWeight(weights, [&](const ModelWeight &weight) { declare(weight); });
}

/// Layers that attend alike and whose weights agree in type share one function: what is
/// compiled for them is compiled once.
void ModelBuilder::buildLayers() {
  const HyperParameters &parameters = model.parameters;
  llvm::MapVector<std::pair<int64_t, Attribute>, SmallVector<int64_t>> groups;
  auto typesOf = [](const LayerWeights &layer) {
    return llvm::map_to_vector(layer,
                               [](const ModelWeight &weight) -> Type { return weight.type; });
  };
  for (auto [index, layer] : llvm::enumerate(weights.layers))
    groups[{parameters.attentionOfLayer[index], builder.getTypeArrayAttr(typesOf(layer))}]
        .push_back(index);

  auto numbersOf = [&](ArrayRef<int64_t> group) {
    return llvm::map_to_vector(group, [&](int64_t layer) { return weights.numbers[layer]; });
  };
  layerFunctions.resize(weights.layers.size());
  for (auto [number, group] : llvm::enumerate(llvm::make_second_range(groups))) {
    std::string name = "block_" + std::to_string(number);
    int64_t first = group.front();
    func::FuncOp function =
        buildLayer(builder, name, "blk." + numberRanges(numbersOf(group)), model,
                   parameters.attentionKinds[parameters.attentionOfLayer[first]],
                   typesOf(weights.layers[first]));
    for (int64_t layer : group)
      layerFunctions[layer] = function;
  }
}

func::FuncOp ModelBuilder::beginFunction(StringRef name, ArrayRef<Type> arguments,
                                         ArrayRef<Type> results,
                                         ArrayRef<StringRef> argumentNames) {
  auto function =
      func::FuncOp::create(builder, at(name), name, builder.getFunctionType(arguments, results));
  SmallVector<Location> locations =
      llvm::map_to_vector(argumentNames, [&](StringRef argument) { return at(argument); });
  builder.createBlock(&function.getBody(), {}, arguments, locations);
  return function;
}

Value ModelBuilder::callLayer(int64_t layer, ValueRange state) {
  Location location = at("blk." + Twine(weights.numbers[layer]));
  SmallVector<Value> operands(state);
  operands.push_back(arith::ConstantIndexOp::create(builder, location, layer));
  for (const ModelWeight &weight : weights.layers[layer])
    operands.push_back(use(weight));
  return func::CallOp::create(builder, location, layerFunctions[layer], operands).getResult(0);
}

func::FuncOp ModelBuilder::beginRowsFunction(const Twine &name) {
  Type rowsType = model.rowsType(model.parameters.embedding);
  func::FuncOp function = beginFunction(name.str(), {rowsType, model.idsType(), model.cacheType},
                                        {rowsType}, {"rows", "positions", "cache"});
  function.setPrivate();
  return function;
}

func::FuncOp ModelBuilder::buildGroup(int64_t first, int64_t last) {
  OpBuilder::InsertionGuard guard(builder);
  func::FuncOp group = beginRowsFunction("layers_" + Twine(first) + "_" + Twine(last));
  Value rows = group.getArgument(0);
  for (int64_t layer = first; layer <= last; ++layer)
    rows = callLayer(layer, {rows, group.getArgument(1), group.getArgument(2)});
  func::ReturnOp::create(builder, at("return"), rows);
  return group;
}

void ModelBuilder::buildTrunk() {
  SmallVector<func::FuncOp> groups;
  int64_t count = weights.layers.size();
  for (int64_t first = 0; first < count; first += kGroupLayers)
    groups.push_back(buildGroup(first, std::min(first + kGroupLayers, count) - 1));
  OpBuilder::InsertionGuard guard(builder);
  trunk = beginRowsFunction("trunk");
  Value rows = trunk.getArgument(0);
  for (func::FuncOp group : groups)
    rows = func::CallOp::create(builder, at(group.getName()), group,
                                ValueRange{rows, trunk.getArgument(1), trunk.getArgument(2)})
               .getResult(0);
  func::ReturnOp::create(builder, at("return"), rows);
}

Value ModelBuilder::buildLogits(Value rows) {
  const ModelWeight &head = weights.head ? *weights.head : weights.embedding;
  Location location = at(weights.outputNorm.label());
  Value bias = weights.outputNormBias ? use(*weights.outputNormBias) : Value();
  Value normalised = buildNorm(builder, location, model, rows, use(weights.outputNorm), bias);
  return buildLinear(builder, at("logits"), model, normalised, use(head));
}

Value ModelBuilder::buildEmbedding(Value tokens, Value positions) {
  Type type = model.rowsType(model.parameters.embedding);
  Value rows = EmbeddingOp::create(builder, at("embedding"), type, tokens, use(weights.embedding));
  if (weights.positions) {
    Value learned = EmbeddingOp::create(builder, at("position_embedding"), type, positions,
                                        use(*weights.positions));
    rows = arith::AddFOp::create(builder, at("embedding_placed"), rows, learned);
  }
  float scale = model.parameters.embeddingScale;
  if (scale == 1)
    return rows;
  Location location = at("embedding_scaled");
  return buildElementwise(builder, location, rows, [&](OpBuilder &body, ValueRange elements) {
    Value factor = arith::ConstantOp::create(body, location, body.getF32FloatAttr(scale));
    return arith::MulFOp::create(body, location, elements[0], factor).getResult();
  });
}

void ModelBuilder::buildEntry(StringRef name, ArrayRef<Type> results,
                              function_ref<SmallVector<Value>(Value)> finish) {
  OpBuilder::InsertionGuard guard(builder);
  func::FuncOp function =
      beginFunction(name, {model.idsType(), model.cacheType}, results, {"tokens", "cache"});
  function->setAttr(QuenchDialect::getEntryAttrName(), builder.getUnitAttr());
  Value tokens = function.getArgument(0), cache = function.getArgument(1);

  // The length is read before anything is appended and set after everything is.
  Value positions = PositionsOp::create(builder, at("positions"), model.idsType(), tokens, cache);
  Value length = CacheLengthOp::create(builder, at("length"), builder.getIndexType(), cache);
  Value embeddings = buildEmbedding(tokens, positions);
  Value rows =
      func::CallOp::create(builder, at("rows"), trunk, ValueRange{embeddings, positions, cache})
          .getResult(0);
  SmallVector<Value> values = finish(rows);
  Value zero = arith::ConstantIndexOp::create(builder, at("zero"), 0);
  Value count = tensor::DimOp::create(builder, at("count"), tokens, zero);
  Value newLength = arith::AddIOp::create(builder, at("new_length"), length, count);
  CacheCommitOp::create(builder, at("commit"), cache, newLength);
  func::ReturnOp::create(builder, at("return"), values);
}

void ModelBuilder::build() {
  declareWeights();
  buildLayers();
  buildTrunk();
  Type logitsType = model.rowsType(weights.vocabulary());
  Type bestType = RankedTensorType::get({ShapedType::kDynamic}, builder.getF32Type());
  buildEntry("prefill", {}, [](Value) { return SmallVector<Value>(); });
  buildEntry("logits", {logitsType},
             [&](Value rows) { return SmallVector<Value>{buildLogits(rows)}; });
  buildEntry("greedy", {model.idsType(), bestType}, [&](Value rows) {
    Value logits = buildLogits(rows);
    auto best = ArgmaxOp::create(builder, at("best"), model.idsType(), bestType, logits);
    return SmallVector<Value>(best->getResults());
  });
}

OwningOpRef<ModuleOp> mlir::quench::buildModel(MLIRContext &context, StringRef name,
                                               const ArchitectureDescription &architecture,
                                               const HyperParameters &parameters,
                                               const ModelWeights &weights,
                                               const ImportOptions &options) {
  Builder attributes(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(NameLoc::get(attributes.getStringAttr(name)));
  Operation *op = module.get();
  op->setAttr(QuenchDialect::getNameAttrName(), attributes.getStringAttr(name));
  op->setAttr(QuenchDialect::getArchitectureAttrName(),
              attributes.getStringAttr(architecture.name));
  op->setAttr(QuenchDialect::getContextAttrName(),
              attributes.getI64IntegerAttr(parameters.context));
  op->setAttr(QuenchDialect::getMaxRowsAttrName(), attributes.getI64IntegerAttr(options.maxRows));

  FloatType element = options.activations == Activations::I8 ? FloatType(attributes.getF16Type())
                                                             : FloatType(attributes.getF32Type());
  ModelContext model = {architecture, parameters, options.activations,
                        PagedCacheType::get(&context, parameters.layers, parameters.cacheHeads,
                                            parameters.headDim, element, kPageSlots)};
  ModelBuilder(*module, model, weights).build();
  return module;
}
