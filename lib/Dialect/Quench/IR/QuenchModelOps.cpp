//===- QuenchModelOps.cpp - verifiers of weights, layers and attention ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quench;

static int64_t dimOf(Value value, unsigned dim) {
  return cast<ShapedType>(value.getType()).getDimSize(dim);
}

/// Static dimensions that differ; dynamic ones agree with anything.
static bool mismatch(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

static LogicalResult verifySameRows(Operation *op, Value a, StringRef aName, Value b,
                                    StringRef bName) {
  if (!mismatch(dimOf(a, 0), dimOf(b, 0)))
    return success();
  return op->emitOpError("expected as many rows in ")
         << bName << " as in " << aName << " (" << dimOf(a, 0) << "), got " << dimOf(b, 0);
}

/// A vector that covers a row, or each of its groups.
static LogicalResult verifyVector(Operation *op, Value weight, StringRef name, int64_t features) {
  ArrayRef<int64_t> shape = cast<QTensorType>(weight.getType()).getShape();
  if (shape.size() == 1 && features % shape[0] == 0)
    return success();
  return op->emitOpError("expected ") << name << " of " << features
                                      << " elements or a divisor of them, got " << weight.getType();
}

static LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  if (eps.isFinite() && !eps.isNegative())
    return success();
  SmallString<16> text;
  eps.toString(text);
  return op->emitOpError("expected a finite eps of at least 0, got ") << text;
}

template <typename OpTy>
static FailureOr<WeightOp> weightOf(OpTy op, SymbolTableCollection &symbols) {
  if (auto weight = symbols.lookupNearestSymbolFrom<WeightOp>(op, op.getWeightAttr()))
    return weight;
  return op.emitOpError("expected a quench.weight named ") << op.getWeightAttr() << ", found none",
         failure();
}

LogicalResult WeightOp::verify() {
  if (getKey().empty())
    return emitOpError("expected a non-empty key");
  StringRef hash = getHash();
  bool hex = llvm::all_of(hash, [](char c) { return llvm::isHexDigit(c); });
  if (!hash.empty() && (hash.size() != 32 || !hex))
    return emitOpError("expected a hash of 32 hexadecimal digits or none, got '") << hash << "'";
  return success();
}

LogicalResult GetWeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<WeightOp> weight = weightOf(*this, symbols);
  if (failed(weight))
    return failure();
  if (weight->getType() != getResult().getType())
    return emitOpError("expected the type of the weight ")
           << weight->getType() << ", got " << getResult().getType();
  return success();
}

LogicalResult PackedWeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<WeightOp> weight = weightOf(*this, symbols);
  if (failed(weight))
    return failure();
  auto type = cast<QTensorType>(weight->getType());
  RankedTensorType packed = getLayout().getPackedType(type.getFormat(), type.getShape());
  if (!packed)
    return emitOpError("layout ") << getLayout().getName() << " has no form for " << type;
  auto shaped = cast<ShapedType>(getResult().getType());
  if (shaped.getShape() != packed.getShape() || shaped.getElementType() != packed.getElementType())
    return emitOpError("expected the packed form ") << packed << " of the weight, got " << shaped;
  return success();
}

LogicalResult SliceOp::verify() {
  auto source = cast<QTensorType>(getSource().getType()),
       result = cast<QTensorType>(getResult().getType());
  if (source.getFormat() != result.getFormat() ||
      source.getShape().size() != result.getShape().size() ||
      source.getShape().drop_front() != result.getShape().drop_front())
    return emitOpError("expected a result that differs from ")
           << source << " in its rows only, got " << result;
  int64_t offset = getOffset(), last = source.getShape()[0] - result.getShape()[0];
  if (offset < 0 || offset > last)
    return emitOpError("expected ") << result.getShape()[0] << " rows within [0, "
                                    << source.getShape()[0] << "), got offset " << offset;
  int64_t block = source.getFormat().getBlockElements();
  if (source.getShape().size() == 1 && offset % block != 0)
    return emitOpError("expected an offset that is a multiple of the block (")
           << block << "), got " << offset;
  return success();
}

LogicalResult DequantizeOp::verify() {
  auto source = cast<QTensorType>(getSource().getType());
  auto expected = RankedTensorType::get(source.getShape(), Float32Type::get(getContext()));
  if (getResult().getType() != expected)
    return emitOpError("expected result ") << expected << ", got " << getResult().getType();
  return success();
}

LogicalResult EmbeddingOp::verify() {
  auto weight = cast<QTensorType>(getWeight().getType());
  if (weight.getShape().size() != 2)
    return emitOpError("expected a weight of rank 2, got ") << weight;
  if (mismatch(dimOf(getResult(), 1), weight.getShape()[1]))
    return emitOpError("expected rows of ")
           << weight.getShape()[1] << " elements, got " << dimOf(getResult(), 1);
  return verifySameRows(*this, getIds(), "ids", getResult(), "the result");
}

LogicalResult LinearOp::verify() {
  if (getWeights().empty())
    return emitOpError("expected at least one weight");
  if (getWeights().size() != getOutputs().size())
    return emitOpError("expected as many results as weights (")
           << getWeights().size() << "), got " << getOutputs().size();
  for (auto [weight, output] : llvm::zip(getWeights(), getOutputs())) {
    auto type = cast<QTensorType>(weight.getType());
    if (type.getShape().size() != 2)
      return emitOpError("expected a weight of rank 2, got ") << type;
    if (mismatch(type.getShape()[1], dimOf(getInput(), 1)))
      return emitOpError("expected an input of ") << type.getShape()[1] << " features as weight "
                                                  << type << " has, got " << dimOf(getInput(), 1);
    if (mismatch(type.getShape()[0], dimOf(output, 1)))
      return emitOpError("expected a result of ") << type.getShape()[0] << " features as weight "
                                                  << type << " has, got " << dimOf(output, 1);
    if (failed(verifySameRows(*this, getInput(), "the input", output, "the result")))
      return failure();
  }
  return success();
}

LogicalResult RMSNormOp::verify() {
  if (failed(verifyEps(*this, getEps())))
    return failure();
  return verifyVector(*this, getWeight(), "a weight", dimOf(getInput(), 1));
}

LogicalResult LayerNormOp::verify() {
  if (failed(verifyEps(*this, getEps())) ||
      failed(verifyVector(*this, getWeight(), "a weight", dimOf(getInput(), 1))))
    return failure();
  auto weight = cast<QTensorType>(getWeight().getType());
  if (!getBias() || cast<QTensorType>(getBias().getType()).getShape() == weight.getShape())
    return success();
  return emitOpError("expected a bias of ")
         << weight.getShape()[0] << " elements as the weight has, got " << getBias().getType();
}

LogicalResult RopeOp::verify() {
  int64_t dim = getDim();
  if (dim <= 0 || dim % 2 != 0)
    return emitOpError("expected an even head dimension, got ") << dim;
  int64_t features = dimOf(getInput(), 1);
  if (features % dim != 0)
    return emitOpError("expected features divisible by the head dimension ")
           << dim << ", got " << features;
  if (getInvFreq().empty() || int64_t(getInvFreq().size()) > dim / 2)
    return emitOpError("expected 1 to ")
           << dim / 2 << " inverse frequencies, got " << getInvFreq().size();
  return verifySameRows(*this, getInput(), "the input", getPositions(), "the positions");
}

LogicalResult AttentionOp::verify() {
  auto cache = cast<CacheTypeInterface>(getCache().getType());
  int64_t width = cache.getHeads() * cache.getDim();
  if (mismatch(dimOf(getKey(), 1), width))
    return emitOpError("expected keys of ")
           << width << " features as the cache has, got " << dimOf(getKey(), 1);
  if (mismatch(dimOf(getValue(), 1), width))
    return emitOpError("expected values of ")
           << width << " features as the cache has, got " << dimOf(getValue(), 1);
  int64_t query = dimOf(getQuery(), 1);
  if (query % width != 0)
    return emitOpError("expected a query of a multiple of ") << width << " features, got " << query;
  if (mismatch(dimOf(getResult(), 1), query))
    return emitOpError("expected a result of ")
           << query << " features as the query has, got " << dimOf(getResult(), 1);
  if (getWindow() && int64_t(*getWindow()) < 1)
    return emitOpError("expected a positive window, got ") << int64_t(*getWindow());
  for (auto [value, name] : {std::pair<Value, StringRef>{getKey(), "the keys"},
                             {getValue(), "the values"},
                             {getPositions(), "the positions"},
                             {getResult(), "the result"}})
    if (failed(verifySameRows(*this, getQuery(), "the query", value, name)))
      return failure();
  if (getSequences() &&
      failed(verifySameRows(*this, getQuery(), "the query", getSequences(), "the sequences")))
    return failure();
  if (getMask() && failed(verifySameRows(*this, getQuery(), "the query", getMask(), "the mask")))
    return failure();
  return success();
}

LogicalResult QuantizeOp::verify() {
  int64_t features = dimOf(getInput(), 1);
  if (features % 32 != 0)
    return emitOpError("expected features divisible by 32, got ") << features;
  if (mismatch(dimOf(getCodes(), 1), features))
    return emitOpError("expected ") << features << " codes in a row, got " << dimOf(getCodes(), 1);
  if (dimOf(getScales(), 1) != features / 32 || dimOf(getSums(), 1) != features / 32)
    return emitOpError("expected ") << features / 32 << " scales and sums in a row, got "
                                    << dimOf(getScales(), 1) << " and " << dimOf(getSums(), 1);
  for (auto [value, name] : {std::pair<Value, StringRef>{getCodes(), "the codes"},
                             {getScales(), "the scales"},
                             {getSums(), "the sums"}})
    if (failed(verifySameRows(*this, getInput(), "the input", value, name)))
      return failure();
  return success();
}

LogicalResult ArgmaxOp::verify() {
  if (failed(verifySameRows(*this, getInput(), "the input", getIds(), "the ids")))
    return failure();
  return verifySameRows(*this, getInput(), "the input", getValues(), "the values");
}
