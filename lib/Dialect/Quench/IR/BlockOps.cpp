//===- BlockOps.cpp - maps, verifiers and tile placement of block ops ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;

using Maps = SmallVector<SmallVector<BlockDim>>;

/// What an operand must be: its element type and its number of dimensions.
/// Then the domain sizes that operands imply must agree.
static LogicalResult verifyBlockOp(BlockOpInterface op) {
  Maps maps = op.getBlockMaps();
  if (auto dps = cast<DestinationStyleOpInterface>(op.getOperation()); op->getNumResults()) {
    auto inits = dps.getDpsInits();
    if (op->getNumResults() != inits.size())
      return op->emitOpError("expected one result per destination (") << inits.size() << ") or none, got " << op->getNumResults();
    for (auto [result, init] : llvm::zip(op->getResults(), inits))
      if (result.getType() != init.getType())
        return op->emitOpError("expected a result of the destination's type ") << init.getType() << ", got " << result.getType();
  }
  SmallVector<int64_t> sizes(op.getNumDomainDims(), ShapedType::kDynamic);
  for (auto [index, map] : llvm::enumerate(maps)) {
    auto type = dyn_cast<ShapedType>(op->getOperand(index).getType());
    if (!type)
      continue;
    if (type.getRank() != int64_t(map.size()))
      return op->emitOpError("expected operand ") << index << " of rank " << map.size() << ", got " << type;
    for (auto [dim, size] : llvm::zip(map, type.getShape())) {
      if (dim.isWhole() || ShapedType::isDynamic(size))
        continue;
      if (size % dim.scale != 0)
        return op->emitOpError("expected operand ") << index << " to have a multiple of " << dim.scale << " elements, got " << type;
      int64_t &known = sizes[dim.dim];
      if (ShapedType::isDynamic(known))
        known = size / dim.scale;
      if (known != size / dim.scale)
        return op->emitOpError("expected operand ") << index << " to have " << known * dim.scale << " elements where it has "
                                                    << size << ", got " << type;
    }
  }
  return success();
}

static LogicalResult verifyElement(Operation *op, Value value, StringRef name, Type element) {
  Type got = cast<ShapedType>(value.getType()).getElementType();
  if (got == element)
    return success();
  return op->emitOpError("expected ") << name << " of element type " << element << ", got " << got;
}

static LogicalResult verifyOutputs(Operation *op, OperandRange outputs, ArrayRef<Type> elements) {
  if (outputs.size() != elements.size())
    return op->emitOpError("expected ") << elements.size() << " destinations, got " << outputs.size();
  for (auto [output, element] : llvm::zip(outputs, elements))
    if (failed(verifyElement(op, output, "a destination", element)))
      return failure();
  return success();
}

static SmallVector<BlockDim> dims(std::initializer_list<BlockDim> list) { return SmallVector<BlockDim>(list); }
static constexpr BlockDim kWhole{};

static void addOffset(OpBuilder &b, Operation *tile, unsigned operand, OpFoldResult offset, int64_t scale) {
  Location loc = tile->getLoc();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(tile);
  AffineExpr x = b.getAffineDimExpr(0), y = b.getAffineDimExpr(1);
  OpFoldResult sum = affine::makeComposedFoldedAffineApply(b, loc, x + y * scale, {tile->getOperand(operand), offset});
  tile->setOperand(operand, getValueOrCreateConstantIndexOp(b, loc, sum));
}

//===----------------------------------------------------------------------===//
// block_matmul
//===----------------------------------------------------------------------===//

unsigned BlockMatmulOp::getNumDomainDims() { return 2; }

Maps BlockMatmulOp::getBlockMaps() {
  Maps maps = {dims({{1, 1}, kWhole, kWhole}), dims({{0, 1}, kWhole})};
  if (getScales())
    maps.push_back(dims({{0, 1}, kWhole}));
  if (getSums())
    maps.push_back(dims({{0, 1}, kWhole}));
  for (Value output : getOutputs())
    (void)output, maps.push_back(dims({{0, 1}, {1, 8}}));
  return maps;
}

LogicalResult BlockMatmulOp::verify() {
  Builder b(getContext());
  if (failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})) || failed(verifyBlockOp(*this)))
    return failure();
  auto weights = cast<ShapedType>(getWeights().getType()), acts = cast<ShapedType>(getActs().getType());
  bool integers = acts.getElementType().isInteger(8);
  if (!integers && !acts.getElementType().isF32())
    return emitOpError("expected activations of i8 or f32, got ") << acts.getElementType();
  if (integers != bool(getScales()) || integers != bool(getSums()))
    return emitOpError("expected scales and sums with i8 activations only");
  FormatAttrInterface format = getFormat();
  RankedTensorType packed = RowsAttr::get(getContext(), 8).getPackedType(format, {8, acts.getDimSize(1)});
  if (!packed)
    return emitOpError("format ") << format.getName() << " has no form in layout rows8";
  if (weights.getShape().drop_front() != packed.getShape().drop_front() || weights.getElementType() != packed.getElementType())
    return emitOpError("expected packed weights of ") << packed << " for each group of 8 features, got " << weights;
  if (integers && format.getFloatType())
    return emitOpError("expected f32 activations for weights of format ") << format.getName() << ", got i8";
  return success();
}

//===----------------------------------------------------------------------===//
// Row-wise ops
//===----------------------------------------------------------------------===//

unsigned BlockEmbeddingOp::getNumDomainDims() { return 1; }
Maps BlockEmbeddingOp::getBlockMaps() {
  return {dims({kWhole, kWhole, kWhole}), dims({{0, 1}}), dims({{0, 1}, kWhole})};
}
LogicalResult BlockEmbeddingOp::verify() {
  Builder b(getContext());
  if (failed(verifyElement(*this, getIds(), "ids", b.getI32Type())) || failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})))
    return failure();
  return verifyBlockOp(*this);
}

unsigned BlockNormOp::getNumDomainDims() { return 1; }
Maps BlockNormOp::getBlockMaps() {
  Maps maps = {dims({{0, 1}, kWhole}), dims({kWhole})};
  if (getBias())
    maps.push_back(dims({kWhole}));
  maps.push_back(dims({{0, 1}, kWhole}));
  return maps;
}
LogicalResult BlockNormOp::verify() {
  Builder b(getContext());
  if (failed(verifyElement(*this, getX(), "x", b.getF32Type())) || failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})))
    return failure();
  if (getKind() == NormKind::RMS && getBias())
    return emitOpError("expected no bias for an rms norm");
  return verifyBlockOp(*this);
}

unsigned BlockQuantizeOp::getNumDomainDims() { return 2; }
Maps BlockQuantizeOp::getBlockMaps() {
  return {dims({{0, 1}, {1, 32}}), dims({{0, 1}, {1, 32}}), dims({{0, 1}, {1, 1}}), dims({{0, 1}, {1, 1}})};
}
LogicalResult BlockQuantizeOp::verify() {
  Builder b(getContext());
  if (failed(verifyElement(*this, getX(), "x", b.getF32Type())) ||
      failed(verifyOutputs(*this, getOutputs(), {b.getI8Type(), b.getF32Type(), b.getF32Type()})))
    return failure();
  return verifyBlockOp(*this);
}

unsigned BlockRopeTableOp::getNumDomainDims() { return 1; }
Maps BlockRopeTableOp::getBlockMaps() { return {dims({{0, 1}}), dims({{0, 1}, kWhole})}; }
LogicalResult BlockRopeTableOp::verify() {
  Builder b(getContext());
  if (failed(verifyElement(*this, getPositions(), "positions", b.getI32Type())) ||
      failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})) || failed(verifyBlockOp(*this)))
    return failure();
  int64_t width = cast<ShapedType>(getOutputs()[0].getType()).getDimSize(1);
  if (width != 2 * int64_t(getInvFreq().size()))
    return emitOpError("expected rows of two elements per frequency (") << 2 * getInvFreq().size() << "), got " << width;
  return success();
}

unsigned BlockRopeOp::getNumDomainDims() { return 1; }
Maps BlockRopeOp::getBlockMaps() { return {dims({{0, 1}, kWhole}), dims({{0, 1}, kWhole}), dims({{0, 1}, kWhole})}; }
LogicalResult BlockRopeOp::verify() {
  Builder b(getContext());
  if (failed(verifyElement(*this, getX(), "x", b.getF32Type())) ||
      failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})) || failed(verifyBlockOp(*this)))
    return failure();
  int64_t dim = cast<ShapedType>(getTable().getType()).getDimSize(1);
  int64_t features = cast<ShapedType>(getX().getType()).getDimSize(1);
  if (ShapedType::isDynamic(dim) || ShapedType::isDynamic(features) || dim % 2 != 0 || features % dim != 0)
    return emitOpError("expected static features divisible by the head dimension ") << dim << ", got " << features;
  return success();
}

unsigned BlockAppendOp::getNumDomainDims() { return 1; }
Maps BlockAppendOp::getBlockMaps() {
  return {dims({{0, 1}, kWhole}), dims({{0, 1}, kWhole}), dims({{0, 1}}), {}, {}};
}
LogicalResult BlockAppendOp::verify() {
  Builder b(getContext());
  if (failed(verifyOutputs(*this, getOutputs(), {})) || failed(verifyElement(*this, getKeys(), "keys", b.getF32Type())) ||
      failed(verifyElement(*this, getValues(), "values", b.getF32Type())))
    return failure();
  return verifyBlockOp(*this);
}

//===----------------------------------------------------------------------===//
// Attention and argmax
//===----------------------------------------------------------------------===//

unsigned BlockAttendOp::getNumDomainDims() { return 2; }
Maps BlockAttendOp::getBlockMaps() {
  int64_t dim = cast<CacheTypeInterface>(getCache().getType()).getDim();
  return {dims({{0, 1}, {1, dim}}), dims({{0, 1}}), {}, {}, {}, dims({{0, 1}, {1, dim}})};
}
void BlockAttendOp::placeTile(OpBuilder &b, Operation *tile, ArrayRef<OpFoldResult> offsets) {
  addOffset(b, tile, getFirstHeadMutable().getOperandNumber(), offsets[1], 1);
}
LogicalResult BlockAttendOp::verify() {
  Builder b(getContext());
  if (failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})))
    return failure();
  if (int64_t(getGroup()) < 1)
    return emitOpError("expected a positive group of query heads, got ") << int64_t(getGroup());
  return verifyBlockOp(*this);
}

unsigned BlockArgmaxOp::getNumDomainDims() { return 2; }
Maps BlockArgmaxOp::getBlockMaps() {
  return {dims({{0, 1}, {1, int64_t(getSegment())}}), {}, dims({{0, 1}, {1, 1}}), dims({{0, 1}, {1, 1}})};
}
void BlockArgmaxOp::placeTile(OpBuilder &b, Operation *tile, ArrayRef<OpFoldResult> offsets) {
  addOffset(b, tile, getOriginMutable().getOperandNumber(), offsets[1], getSegment());
}
LogicalResult BlockArgmaxOp::verify() {
  Builder b(getContext());
  if (int64_t(getSegment()) < 1)
    return emitOpError("expected a positive segment, got ") << int64_t(getSegment());
  if (failed(verifyOutputs(*this, getOutputs(), {b.getF32Type(), b.getI32Type()})))
    return failure();
  return verifyBlockOp(*this);
}

unsigned BlockArgmaxMergeOp::getNumDomainDims() { return 1; }
Maps BlockArgmaxMergeOp::getBlockMaps() {
  return {dims({{0, 1}, kWhole}), dims({{0, 1}, kWhole}), dims({{0, 1}}), dims({{0, 1}})};
}
LogicalResult BlockArgmaxMergeOp::verify() {
  Builder b(getContext());
  if (failed(verifyOutputs(*this, getOutputs(), {b.getI32Type(), b.getF32Type()})))
    return failure();
  return verifyBlockOp(*this);
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

// `[1.0, 0.5]`. Upstream prints the elements of an f32 array with seven digits, which
// is not enough to read the same numbers back.
static void printExactFloats(OpAsmPrinter &printer, Operation *, DenseF32ArrayAttr numbers) {
  printer << '[';
  llvm::interleaveComma(numbers.asArrayRef(), printer.getStream(),
                        [&](float number) { printer.printFloat(APFloat(number)); });
  printer << ']';
}

static ParseResult parseExactFloats(OpAsmParser &parser, DenseF32ArrayAttr &numbers) {
  SmallVector<float> parsed;
  auto parseOne = [&]() -> ParseResult {
    APFloat number(APFloat::IEEEsingle());
    if (parser.parseFloat(APFloat::IEEEsingle(), number))
      return failure();
    parsed.push_back(number.convertToFloat());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  numbers = parser.getBuilder().getDenseF32ArrayAttr(parsed);
  return success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "quench/Dialect/Quench/IR/QuenchOps.cpp.inc"

void QuenchDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "quench/Dialect/Quench/IR/QuenchOps.cpp.inc"
      >();
}
