//===- BlockOpInterface.cpp - tiling, bufferization and effects of all block ops ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Everything here follows from getBlockMaps(); the ops' methods at the end only
// forward.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::bufferization;

#include "quench/Dialect/Quench/IR/QuenchOpInterfaces.cpp.inc"

using Maps = SmallVector<SmallVector<BlockDim>>;

static OpFoldResult scaled(OpBuilder &b, Location loc, OpFoldResult value, int64_t scale) {
  if (scale == 1)
    return value;
  return affine::makeComposedFoldedAffineApply(b, loc, b.getAffineDimExpr(0) * scale, {value});
}

static OpFoldResult divided(OpBuilder &b, Location loc, OpFoldResult value, int64_t scale) {
  if (scale == 1)
    return value;
  return affine::makeComposedFoldedAffineApply(b, loc, b.getAffineDimExpr(0).floorDiv(scale),
                                               {value});
}

/// Sizes come from where a destination was made, not from the op that fills it:
/// a use of the filled tensor would keep a fused producer alive.
static OpFoldResult sizeOf(OpBuilder &b, Location loc, Value value, int64_t dim) {
  while (auto dps = value.getDefiningOp<DestinationStyleOpInterface>())
    value = dps.getTiedOpOperand(cast<OpResult>(value))->get();
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes()[dim];
  if (isa<MemRefType>(value.getType()))
    return memref::getMixedSize(b, loc, value, dim);
  return tensor::getMixedSize(b, loc, value, dim);
}

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

static SmallVector<Range> domainOf(BlockOpInterface op, OpBuilder &b) {
  SmallVector<Range> domain;
  Maps maps = op.getBlockMaps();
  for (int64_t d = 0, e = op.getNumDomainDims(); d < e; ++d) {
    OpFoldResult size;
    for (auto [operand, map] : llvm::zip(op->getOperands(), maps))
      for (auto [i, dim] : llvm::enumerate(map))
        if (!size && dim.dim == d)
          size = divided(b, op.getLoc(), sizeOf(b, op.getLoc(), operand, i), dim.scale);
    assert(size && "every domain dimension belongs to an operand");
    domain.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  }
  return domain;
}

static void tilePosition(OpBuilder &b, Location loc, ArrayRef<BlockDim> map, Value operand,
                         ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                         SmallVector<OpFoldResult> &tileOffsets,
                         SmallVector<OpFoldResult> &tileSizes) {
  for (auto [i, dim] : llvm::enumerate(map)) {
    tileOffsets.push_back(dim.isWhole() ? b.getIndexAttr(0)
                                        : scaled(b, loc, offsets[dim.dim], dim.scale));
    tileSizes.push_back(dim.isWhole() ? sizeOf(b, loc, operand, i)
                                      : scaled(b, loc, sizes[dim.dim], dim.scale));
  }
}

static FailureOr<TilingResult> tile(BlockOpInterface op, OpBuilder &b,
                                    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  SmallVector<Operation *> slices;
  SmallVector<Value> operands;
  for (auto [operand, map] : llvm::zip(op->getOperands(), op.getBlockMaps())) {
    if (llvm::all_of(map, [](const BlockDim &dim) { return dim.isWhole(); })) {
      operands.push_back(operand);
      continue;
    }
    SmallVector<OpFoldResult> tileOffsets, tileSizes;
    tilePosition(b, loc, map, operand, offsets, sizes, tileOffsets, tileSizes);
    SmallVector<OpFoldResult> strides(map.size(), b.getIndexAttr(1));
    auto slice = tensor::ExtractSliceOp::create(b, loc, operand, tileOffsets, tileSizes, strides);
    slices.push_back(slice);
    operands.push_back(slice);
  }
  SmallVector<Type> resultTypes;
  if (op->getNumResults())
    for (OpOperand &init :
         cast<DestinationStyleOpInterface>(op.getOperation()).getDpsInitsMutable())
      resultTypes.push_back(operands[init.getOperandNumber()].getType());
  Operation *tiled = mlir::clone(b, op, resultTypes, operands);
  op.placeTile(b, tiled, offsets);
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

static const SmallVector<BlockDim> resultMap(BlockOpInterface op, unsigned result) {
  auto dps = cast<DestinationStyleOpInterface>(op.getOperation());
  return op.getBlockMaps()[dps.getDpsInitOperand(result)->getOperandNumber()];
}

static LogicalResult resultTile(BlockOpInterface op, OpBuilder &b, unsigned result,
                                ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                SmallVector<OpFoldResult> &resultOffsets,
                                SmallVector<OpFoldResult> &resultSizes) {
  auto dps = cast<DestinationStyleOpInterface>(op.getOperation());
  tilePosition(b, op.getLoc(), resultMap(op, result), dps.getDpsInitOperand(result)->get(), offsets,
               sizes, resultOffsets, resultSizes);
  return success();
}

static LogicalResult domainTile(BlockOpInterface op, OpBuilder &b, unsigned result,
                                ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                SmallVectorImpl<OpFoldResult> &domainOffsets,
                                SmallVectorImpl<OpFoldResult> &domainSizes) {
  domainOffsets.clear();
  domainSizes.clear();
  for (const Range &range : domainOf(op, b)) {
    domainOffsets.push_back(range.offset);
    domainSizes.push_back(range.size);
  }
  // Whoever asks chooses tiles of whole blocks; a constant that is not is refused.
  for (auto [i, dim] : llvm::enumerate(resultMap(op, result))) {
    if (dim.isWhole())
      continue;
    std::optional<int64_t> size = getConstantIntValue(sizes[i]);
    if (size && *size % dim.scale != 0)
      return failure();
    domainOffsets[dim.dim] = divided(b, op.getLoc(), offsets[i], dim.scale);
    domainSizes[dim.dim] = divided(b, op.getLoc(), sizes[i], dim.scale);
  }
  return success();
}

static FailureOr<TilingResult> tileOfResult(BlockOpInterface op, OpBuilder &b, unsigned result,
                                            ArrayRef<OpFoldResult> offsets,
                                            ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> domainOffsets, domainSizes;
  if (failed(domainTile(op, b, result, offsets, sizes, domainOffsets, domainSizes)))
    return failure();
  FailureOr<TilingResult> tiled = tile(op, b, domainOffsets, domainSizes);
  if (failed(tiled))
    return failure();
  // The tiled op's other results stay unused; callers want just this one.
  tiled->tiledValues = {tiled->tiledValues[result]};
  return tiled;
}

//===----------------------------------------------------------------------===//
// Bufferization and effects
//===----------------------------------------------------------------------===//

static LogicalResult bufferizeDestinationStyle(Operation *op, RewriterBase &rewriter,
                                               const BufferizationOptions &options,
                                               BufferizationState &state) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      operands.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  SmallVector<Value> results;
  auto dps = cast<DestinationStyleOpInterface>(op);
  if (op->getNumResults())
    for (OpOperand &init : dps.getDpsInitsMutable())
      results.push_back(operands[init.getOperandNumber()]);
  mlir::clone(rewriter, op, /*newResultTypes=*/TypeRange{}, operands);
  replaceOpWithBufferizedValues(rewriter, op, results);
  return success();
}

static void
addEffects(Operation *op,
           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  auto dps = cast<DestinationStyleOpInterface>(op);
  bool appends = isa<BlockAppendOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (isa<CacheTypeInterface>(operand.get().getType())) {
      if (appends)
        effects.emplace_back(MemoryEffects::Write::get(), &operand, CacheResource::get());
      else
        effects.emplace_back(MemoryEffects::Read::get(), &operand, CacheResource::get());
    } else if (isa<MemRefType>(operand.get().getType())) {
      if (dps.isDpsInit(&operand))
        effects.emplace_back(MemoryEffects::Write::get(), &operand,
                             SideEffects::DefaultResource::get());
      else
        effects.emplace_back(MemoryEffects::Read::get(), &operand,
                             SideEffects::DefaultResource::get());
    }
  }
}

#define BUFFERIZE_DESTINATION_STYLE(OP)                                                            \
  bool OP::bufferizesToMemoryRead(OpOperand &operand, const AnalysisState &) {                     \
    return !isDpsInit(&operand);                                                                   \
  }                                                                                                \
  bool OP::bufferizesToMemoryWrite(OpOperand &operand, const AnalysisState &) {                    \
    return isDpsInit(&operand);                                                                    \
  }                                                                                                \
  AliasingValueList OP::getAliasingValues(OpOperand &operand, const AnalysisState &) {             \
    if (isDpsInit(&operand) && getNumResults())                                                    \
      return {{getTiedOpResult(&operand), BufferRelation::Equivalent}};                            \
    return {};                                                                                     \
  }                                                                                                \
  LogicalResult OP::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,         \
                              BufferizationState &state) {                                         \
    return bufferizeDestinationStyle(*this, rewriter, options, state);                             \
  }

#define BLOCK_OP(OP)                                                                               \
  SmallVector<utils::IteratorType> OP::getLoopIteratorTypes() {                                    \
    return SmallVector<utils::IteratorType>(getNumDomainDims(), utils::IteratorType::parallel);    \
  }                                                                                                \
  SmallVector<Range> OP::getIterationDomain(OpBuilder &b) { return domainOf(*this, b); }           \
  FailureOr<TilingResult> OP::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets, \
                                                     ArrayRef<OpFoldResult> sizes) {               \
    return tile(*this, b, offsets, sizes);                                                         \
  }                                                                                                \
  LogicalResult OP::getResultTilePosition(                                                         \
      OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes, \
      SmallVector<OpFoldResult> &resultOffsets, SmallVector<OpFoldResult> &resultSizes) {          \
    return resultTile(*this, b, result, offsets, sizes, resultOffsets, resultSizes);               \
  }                                                                                                \
  LogicalResult OP::getIterationDomainTileFromResultTile(                                          \
      OpBuilder &b, unsigned result, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes, \
      SmallVectorImpl<OpFoldResult> &domainOffsets, SmallVectorImpl<OpFoldResult> &domainSizes) {  \
    return domainTile(*this, b, result, offsets, sizes, domainOffsets, domainSizes);               \
  }                                                                                                \
  FailureOr<TilingResult> OP::generateResultTileValue(OpBuilder &b, unsigned result,               \
                                                      ArrayRef<OpFoldResult> offsets,              \
                                                      ArrayRef<OpFoldResult> sizes) {              \
    return tileOfResult(*this, b, result, offsets, sizes);                                         \
  }                                                                                                \
  void OP::getEffects(                                                                             \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {              \
    addEffects(*this, effects);                                                                    \
  }                                                                                                \
  BUFFERIZE_DESTINATION_STYLE(OP)

BLOCK_OP(BlockMatmulOp)
BLOCK_OP(BlockEmbeddingOp)
BLOCK_OP(BlockNormOp)
BLOCK_OP(BlockQuantizeOp)
BLOCK_OP(BlockRopeTableOp)
BLOCK_OP(BlockRopeOp)
BLOCK_OP(BlockAppendOp)
BLOCK_OP(BlockAttendOp)
BLOCK_OP(BlockArgmaxOp)
BLOCK_OP(BlockArgmaxMergeOp)
BUFFERIZE_DESTINATION_STYLE(HostDraftOp)

#undef BLOCK_OP
#undef BUFFERIZE_DESTINATION_STYLE

//===----------------------------------------------------------------------===//
// packed_weight: a constant buffer of the runtime
//===----------------------------------------------------------------------===//

bool PackedWeightOp::bufferizesToAllocation(Value) { return false; }
bool PackedWeightOp::isWritable(Value, const AnalysisState &) { return false; }

FailureOr<BufferLikeType> PackedWeightOp::getBufferType(Value value, const BufferizationOptions &,
                                                        const BufferizationState &,
                                                        SmallVector<Value> &) {
  auto type = cast<ShapedType>(value.getType());
  return cast<BufferLikeType>(MemRefType::get(type.getShape(), type.getElementType()));
}

LogicalResult PackedWeightOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &,
                                        BufferizationState &) {
  auto type = dyn_cast<RankedTensorType>(getResult().getType());
  if (!type)
    return success();
  replaceOpWithNewBufferizedOp<PackedWeightOp>(
      rewriter, getOperation(), MemRefType::get(type.getShape(), type.getElementType()),
      getWeightAttr(), getLayout());
  return success();
}
