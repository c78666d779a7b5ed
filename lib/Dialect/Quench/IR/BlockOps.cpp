//===- BlockOps.cpp - maps, verifiers and tile placement of block ops ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Builders.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;

using Maps = SmallVector<SmallVector<BlockDim>>;

static ShapedType shapedOf(Value value) { return cast<ShapedType>(value.getType()); }

/// The interface's verifier has counted the results: one for each tensor.
static LogicalResult verifyResults(DestinationStyleOpInterface op) {
  auto inits = op.getDpsInits();
  if (op->getNumResults() && op->getNumResults() != inits.size())
    return op->emitOpError("expected tensors or buffers as destinations, got both");
  for (auto [result, init] : llvm::zip(op->getResults(), inits))
    if (result.getType() != init.getType())
      return op->emitOpError("expected a result of the destination's type ")
             << init.getType() << ", got " << result.getType();
  return success();
}

/// Ranks, whole blocks, and that the domain sizes that operands imply agree.
static LogicalResult verifyBlockOp(BlockOpInterface op) {
  if (failed(verifyResults(cast<DestinationStyleOpInterface>(op.getOperation()))))
    return failure();
  Maps maps = op.getBlockMaps();
  SmallVector<int64_t> sizes(op.getNumDomainDims(), ShapedType::kDynamic);
  for (auto [index, map] : llvm::enumerate(maps)) {
    auto type = dyn_cast<ShapedType>(op->getOperand(index).getType());
    if (!type)
      continue;
    if (type.getRank() != int64_t(map.size()))
      return op->emitOpError("expected operand ")
             << index << " of rank " << map.size() << ", got " << type;
    // Code reads and writes vectors of neighbours.
    if (auto memref = dyn_cast<MemRefType>(type); memref && !memref.isLastDimUnitStride())
      return op->emitOpError("expected operand ")
             << index << " with neighbours next to each other in its last dimension, got " << type;
    for (auto [dim, size] : llvm::zip(map, type.getShape())) {
      if (dim.isWhole() || ShapedType::isDynamic(size))
        continue;
      if (size % dim.scale != 0)
        return op->emitOpError("expected operand ")
               << index << " to have a multiple of " << dim.scale << " elements, got " << type;
      int64_t &known = sizes[dim.dim];
      if (ShapedType::isDynamic(known))
        known = size / dim.scale;
      if (known != size / dim.scale)
        return op->emitOpError("expected operand ")
               << index << " to have " << known * dim.scale << " elements where it has " << size
               << ", got " << type;
    }
  }
  return success();
}

static LogicalResult verifyElement(Operation *op, Value value, StringRef name, Type element) {
  Type got = shapedOf(value).getElementType();
  if (got == element)
    return success();
  return op->emitOpError("expected ") << name << " of element type " << element << ", got " << got;
}

static LogicalResult verifyOutputs(Operation *op, OperandRange outputs, ArrayRef<Type> elements) {
  if (outputs.size() != elements.size())
    return op->emitOpError("expected ")
           << elements.size() << " destinations, got " << outputs.size();
  for (auto [output, element] : llvm::zip(outputs, elements))
    if (failed(verifyElement(op, output, "a destination", element)))
      return failure();
  return success();
}

/// That the last dimension of `value` is static and has `count` elements.
static LogicalResult verifyColumns(Operation *op, Value value, StringRef name, int64_t count) {
  if (shapedOf(value).getShape().back() == count)
    return success();
  return op->emitOpError("expected ")
         << name << " with " << count << " columns, got " << value.getType();
}

/// The columns of `value`, which must be static. Diagnosed if they are not.
static FailureOr<int64_t> staticColumns(Operation *op, Value value, StringRef name) {
  int64_t columns = shapedOf(value).getShape().back();
  if (columns > 0)
    return columns;
  return op->emitOpError("expected ")
             << name << " with a static number of columns, got " << value.getType(),
         failure();
}

/// That `weights` is what layout rows<8> makes of weights with `columns` columns.
static LogicalResult verifyRows8(Operation *op, Value weights, FormatAttrInterface format,
                                 int64_t columns) {
  RankedTensorType packed;
  if (columns % format.getBlockElements() == 0)
    packed = RowsAttr::get(op->getContext(), 8).getPackedType(format, {8, columns});
  if (!packed)
    return op->emitOpError("format ")
           << format.getName() << " has no form in layout rows8 for " << columns << " columns";
  ShapedType got = shapedOf(weights);
  if (got.getShape().drop_front() == packed.getShape().drop_front() &&
      got.getElementType() == packed.getElementType())
    return success();
  return op->emitOpError("expected packed weights of ")
         << packed << " for each group of 8 features, got " << got;
}

static SmallVector<BlockDim> dims(std::initializer_list<BlockDim> list) {
  return SmallVector<BlockDim>(list);
}
static constexpr BlockDim kWhole{};

static void addOffset(OpBuilder &b, Operation *tile, unsigned operand, OpFoldResult offset,
                      int64_t scale) {
  Location loc = tile->getLoc();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(tile);
  AffineExpr x = b.getAffineDimExpr(0), y = b.getAffineDimExpr(1);
  OpFoldResult sum = affine::makeComposedFoldedAffineApply(b, loc, x + y * scale,
                                                           {tile->getOperand(operand), offset});
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
  Type f32 = Float32Type::get(getContext());
  if (failed(verifyOutputs(*this, getOutputs(), {f32})) || failed(verifyBlockOp(*this)))
    return failure();
  Type acts = shapedOf(getActs()).getElementType();
  bool integers = acts.isSignlessInteger(8);
  if (!integers && !acts.isF32())
    return emitOpError("expected activations of i8 or f32, got ") << acts;
  if (integers != bool(getScales()) || integers != bool(getSums()))
    return emitOpError("expected scales and sums with i8 activations only");
  FailureOr<int64_t> columns = staticColumns(*this, getActs(), "activations");
  if (failed(columns) || failed(verifyRows8(*this, getWeights(), getFormat(), *columns)))
    return failure();
  if (!integers)
    return success();
  if (getFormat().getFloatType())
    return emitOpError("expected f32 activations for weights of format ")
           << getFormat().getName() << ", got i8";
  for (auto [value, name] : {std::pair<Value, StringRef>{getScales(), "scales"},
                             std::pair<Value, StringRef>{getSums(), "sums"}})
    if (failed(verifyElement(*this, value, name, f32)) ||
        failed(verifyColumns(*this, value, name, *columns / 32)))
      return failure();
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
  if (failed(verifyElement(*this, getIds(), "ids", b.getI32Type())) ||
      failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})) || failed(verifyBlockOp(*this)))
    return failure();
  FailureOr<int64_t> columns = staticColumns(*this, getOutputs()[0], "a destination");
  if (failed(columns) || failed(verifyRows8(*this, getWeights(), getFormat(), *columns)))
    return failure();
  int64_t groups = shapedOf(getWeights()).getDimSize(0), rows = getRows();
  if (rows < 1 || (!ShapedType::isDynamic(groups) && llvm::divideCeil(rows, 8) > uint64_t(groups)))
    return emitOpError("expected 1 to ") << 8 * groups << " rows, got " << rows;
  return success();
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
  if (failed(verifyElement(*this, getX(), "x", b.getF32Type())) ||
      failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})))
    return failure();
  if (getKind() == NormKind::RMS && getBias())
    return emitOpError("expected no bias for an rms norm");
  if (failed(verifyBlockOp(*this)))
    return failure();
  FailureOr<int64_t> columns = staticColumns(*this, getX(), "x");
  FailureOr<int64_t> size = staticColumns(*this, getWeight(), "a weight");
  if (failed(columns) || failed(size) ||
      failed(verifyElement(*this, getWeight(), "a weight", b.getF32Type())) ||
      failed(verifyColumns(*this, getOutputs()[0], "a destination", *columns)))
    return failure();
  if (*columns % *size != 0)
    return emitOpError("expected a weight with ")
           << *columns << " columns or a divisor of them, got " << getWeight().getType();
  if (!getBias())
    return success();
  if (failed(verifyElement(*this, getBias(), "a bias", b.getF32Type())))
    return failure();
  return verifyColumns(*this, getBias(), "a bias", *size);
}

unsigned BlockQuantizeOp::getNumDomainDims() { return 2; }
Maps BlockQuantizeOp::getBlockMaps() {
  return {dims({{0, 1}, {1, 32}}), dims({{0, 1}, {1, 32}}), dims({{0, 1}, {1, 1}}),
          dims({{0, 1}, {1, 1}})};
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
  return verifyColumns(*this, getOutputs()[0], "a destination", 2 * getInvFreq().size());
}

unsigned BlockRopeOp::getNumDomainDims() { return 1; }
Maps BlockRopeOp::getBlockMaps() {
  return {dims({{0, 1}, kWhole}), dims({{0, 1}, kWhole}), dims({{0, 1}, kWhole})};
}
LogicalResult BlockRopeOp::verify() {
  Builder b(getContext());
  if (failed(verifyElement(*this, getX(), "x", b.getF32Type())) ||
      failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})) || failed(verifyBlockOp(*this)))
    return failure();
  FailureOr<int64_t> columns = staticColumns(*this, getX(), "x");
  FailureOr<int64_t> rotated = staticColumns(*this, getTable(), "a table");
  if (failed(columns) || failed(rotated) ||
      failed(verifyElement(*this, getTable(), "a table", b.getF32Type())))
    return failure();
  int64_t dim = getDim();
  if (dim < 2 || dim % 2 != 0 || *columns % dim != 0)
    return emitOpError("expected columns divisible by an even head dimension, got ")
           << *columns << " and " << dim;
  if (*rotated % 2 != 0 || *rotated > dim)
    return emitOpError("expected a table of an even number of columns, at most ")
           << dim << ", got " << *rotated;
  return verifyColumns(*this, getOutputs()[0], "a destination", *columns);
}

unsigned BlockAppendOp::getNumDomainDims() { return 1; }
Maps BlockAppendOp::getBlockMaps() {
  return {dims({{0, 1}, kWhole}), dims({{0, 1}, kWhole}), dims({{0, 1}}), {}, {}};
}
LogicalResult BlockAppendOp::verify() {
  Builder b(getContext());
  if (failed(verifyOutputs(*this, getOutputs(), {})) ||
      failed(verifyElement(*this, getKeys(), "keys", b.getF32Type())) ||
      failed(verifyElement(*this, getValues(), "values", b.getF32Type())) ||
      failed(verifyElement(*this, getPositions(), "positions", b.getI32Type())) ||
      failed(verifyBlockOp(*this)))
    return failure();
  auto cache = cast<CacheTypeInterface>(getCache().getType());
  int64_t width = cache.getHeads() * cache.getDim();
  if (failed(verifyColumns(*this, getKeys(), "keys", width)))
    return failure();
  return verifyColumns(*this, getValues(), "values", width);
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
  if (failed(verifyOutputs(*this, getOutputs(), {b.getF32Type()})) ||
      failed(verifyElement(*this, getQuery(), "a query", b.getF32Type())) ||
      failed(verifyElement(*this, getPositions(), "positions", b.getI32Type())))
    return failure();
  if (int64_t(getGroup()) < 1)
    return emitOpError("expected a positive group of query heads, got ") << int64_t(getGroup());
  if (getWindow() && int64_t(*getWindow()) < 1)
    return emitOpError("expected a positive window, got ") << int64_t(*getWindow());
  if (failed(verifyBlockOp(*this)))
    return failure();
  return success(succeeded(staticColumns(*this, getQuery(), "a query")));
}

unsigned BlockArgmaxOp::getNumDomainDims() { return 2; }
Maps BlockArgmaxOp::getBlockMaps() {
  return {dims({{0, 1}, {1, int64_t(getSegment())}}),
          {},
          dims({{0, 1}, {1, 1}}),
          dims({{0, 1}, {1, 1}})};
}
void BlockArgmaxOp::placeTile(OpBuilder &b, Operation *tile, ArrayRef<OpFoldResult> offsets) {
  addOffset(b, tile, getOriginMutable().getOperandNumber(), offsets[1], getSegment());
}
LogicalResult BlockArgmaxOp::verify() {
  Builder b(getContext());
  if (int64_t(getSegment()) < 1)
    return emitOpError("expected a positive segment, got ") << int64_t(getSegment());
  if (failed(verifyElement(*this, getX(), "x", b.getF32Type())) ||
      failed(verifyOutputs(*this, getOutputs(), {b.getF32Type(), b.getI32Type()})))
    return failure();
  return verifyBlockOp(*this);
}

unsigned BlockArgmaxMergeOp::getNumDomainDims() { return 1; }
Maps BlockArgmaxMergeOp::getBlockMaps() {
  return {dims({{0, 1}, kWhole}), dims({{0, 1}, kWhole}), dims({{0, 1}}), dims({{0, 1}})};
}
LogicalResult BlockArgmaxMergeOp::verify() {
  Builder b(getContext());
  if (failed(verifyElement(*this, getValues(), "values", b.getF32Type())) ||
      failed(verifyElement(*this, getIds(), "ids", b.getI32Type())) ||
      failed(verifyOutputs(*this, getOutputs(), {b.getI32Type(), b.getF32Type()})) ||
      failed(verifyBlockOp(*this)))
    return failure();
  FailureOr<int64_t> columns = staticColumns(*this, getValues(), "values");
  return failed(columns) ? failure() : verifyColumns(*this, getIds(), "ids", *columns);
}

//===----------------------------------------------------------------------===//
// host_draft
//===----------------------------------------------------------------------===//

LogicalResult HostDraftOp::verify() {
  Builder b(getContext());
  if (failed(verifyElement(*this, getPending(), "pending tokens", b.getI32Type())) ||
      failed(verifyOutputs(*this, getOutputs(), {b.getI32Type(), b.getI64Type()})))
    return failure();
  for (Value value : {Value(getPending()), getOutputs()[0], getOutputs()[1]})
    if (shapedOf(value).getRank() != 1)
      return emitOpError("expected vectors, got ") << value.getType();
  if (shapedOf(getOutputs()[1]).getDimSize(0) != 1)
    return emitOpError("expected one number of candidates, got ") << getOutputs()[1].getType();
  return verifyResults(*this);
}
