//===- Tile.cpp - distributes block ops over threads and fuses their producers ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHTILE
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
/// Output features of one tile: its packed weights stay in the first-level cache
/// while all rows pass, and there are enough tiles to share among threads.
constexpr int64_t kTileColumns = 32;

bool isElementwise(Operation *op) {
  auto generic = dyn_cast<linalg::LinalgOp>(op);
  return generic && generic.getNumParallelLoops() == generic.getNumLoops() &&
         generic.hasPureTensorSemantics() && generic.getNumLoops() == 2 &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return cast<RankedTensorType>(type).getRank() == 2; });
}

int64_t columnsOf(Value value) { return cast<ShapedType>(value.getType()).getDimSize(1); }

/// The largest divisor of `size` that is at most `limit` and a multiple of `unit`;
/// 0 (do not tile) if there is none.
int64_t divisor(int64_t size, int64_t limit, int64_t unit) {
  if (ShapedType::isDynamic(size))
    return 0;
  for (int64_t d = std::min(size, limit); d >= unit; --d)
    if (size % d == 0 && d % unit == 0)
      return d;
  return 0;
}

/// How a root is distributed, and which producers go with it.
struct RootPlan {
  SmallVector<int64_t> sizes;
  bool (*fuses)(Operation *producer) = [](Operation *) { return false; };
};

bool fusesNorm(Operation *op) { return isa<BlockNormOp>(op); }
bool fusesColumns(Operation *op) { return isa<BlockMatmulOp>(op) || isElementwise(op); }
bool fusesAttend(Operation *op) { return isa<BlockAttendOp>(op); }
bool fusesRope(Operation *op) { return isa<BlockRopeTableOp, BlockRopeOp, BlockNormOp>(op); }
bool fusesRows(Operation *op) { return isa<BlockNormOp, BlockEmbeddingOp>(op); }

/// Whether an operand is made row by row: then tiles of columns would have to wait for it.
bool readsRows(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    Operation *def = operand.getDefiningOp();
    return def && fusesRows(def);
  });
}

/// Whether every tile of `op`'s columns asks its producers for whole groups of 8.
bool columnsComeFromTiles(Value value) {
  Operation *def = value.getDefiningOp();
  return def && fusesColumns(def) && columnsOf(value) % kTileColumns == 0;
}

std::optional<RootPlan> planRoot(Operation *op) {
  if (auto quantize = dyn_cast<BlockQuantizeOp>(op)) {
    Value x = quantize.getX();
    if (columnsComeFromTiles(x))
      return RootPlan{{0, kTileColumns / 32}, fusesColumns};
    if (auto attend = x.getDefiningOp<BlockAttendOp>()) {
      int64_t dim = cast<CacheTypeInterface>(attend.getCache().getType()).getDim();
      if (dim % 32 == 0)
        return RootPlan{{1, dim / 32}, fusesAttend};
    }
    return RootPlan{{1, 0}, fusesNorm};
  }
  if (isElementwise(op)) {
    if (readsRows(op))
      return RootPlan{{1, 0}, fusesRows};
    int64_t width = columnsOf(op->getResult(0));
    if (int64_t tile = divisor(width, kTileColumns, 8))
      return RootPlan{{0, tile}, fusesColumns};
    return RootPlan{{1, 0}};
  }
  if (auto matmul = dyn_cast<BlockMatmulOp>(op))
    return RootPlan{{0, divisor(cast<ShapedType>(matmul.getWeights().getType()).getDimSize(0),
                                kTileColumns / 8, 1)}};
  if (isa<BlockArgmaxOp>(op))
    return RootPlan{{0, 1}, [](Operation *producer) { return isa<BlockMatmulOp>(producer); }};
  if (isa<BlockAttendOp>(op))
    return RootPlan{{1, 1}};
  if (isa<BlockRopeOp>(op))
    return RootPlan{{1}, fusesRope};
  if (isa<BlockAppendOp>(op))
    return RootPlan{{1}, fusesRope};
  if (isa<BlockNormOp, BlockEmbeddingOp, BlockRopeTableOp, BlockArgmaxMergeOp>(op))
    return RootPlan{{1}};
  return std::nullopt;
}

/// ins(%x, %y) outs(%x) where the body ignores the destination becomes ins(%y)
/// outs(%x): then the tile is updated in place.
struct ReadDestination : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
        op.getNumLoops() != op.getNumParallelLoops())
      return failure();
    OpOperand *init = op.getDpsInitOperand(0);
    BlockArgument out = op.getMatchingBlockArgument(init);
    if (!out.use_empty())
      return failure();
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (input->get() != init->get() ||
          op.getMatchingIndexingMap(input) != op.getMatchingIndexingMap(init))
        continue;
      BlockArgument in = op.getMatchingBlockArgument(input);
      rewriter.modifyOpInPlace(op, [&] {
        in.replaceAllUsesWith(out);
        unsigned number = input->getOperandNumber();
        SmallVector<AffineMap> maps = op.getIndexingMapsArray();
        maps.erase(maps.begin() + number);
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
        op->eraseOperand(number);
        op.getProperties().operandSegmentSizes[0] = int32_t(op.getNumOperands()) - 1;
        op.getBody()->eraseArgument(number);
      });
      return success();
    }
    return failure();
  }
};

/// Sizes of tensors in terms of where their destinations were made, so that a
/// fused producer is not kept alive by its size.
void resolveSizes(func::FuncOp function, IRRewriter &rewriter) {
  SmallVector<tensor::DimOp> dims;
  function.walk([&](tensor::DimOp op) { dims.push_back(op); });
  for (tensor::DimOp op : dims) {
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!dim)
      continue;
    Value source = op.getSource();
    while (Operation *def = source.getDefiningOp()) {
      if (auto dps = dyn_cast<DestinationStyleOpInterface>(def))
        source = dps.getTiedOpOperand(cast<OpResult>(source))->get();
      else if (auto forall = dyn_cast<scf::ForallOp>(def))
        source = forall.getTiedOpOperand(cast<OpResult>(source))->get();
      else
        break;
    }
    if (source == op.getSource())
      continue;
    rewriter.setInsertionPoint(op);
    Value size;
    if (auto empty = source.getDefiningOp<tensor::EmptyOp>())
      size = getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), empty.getMixedSizes()[*dim]);
    else
      size = tensor::DimOp::create(rewriter, op.getLoc(), source, op.getIndex());
    rewriter.replaceOp(op, size);
  }
}

struct Tile : impl::QuenchTileBase<Tile> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    patterns.add<ReadDestination>(&getContext());
    if (failed(applyPatternsGreedily(function, std::move(patterns))))
      return signalPassFailure();

    SmallVector<Operation *> roots;
    function.walk([&](Operation *op) {
      if (planRoot(op))
        roots.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    llvm::SmallPtrSet<Operation *, 16> gone;
    // Consumers first, so that producers are still there to be fused.
    for (Operation *root : llvm::reverse(roots)) {
      if (gone.contains(root))
        continue;
      resolveSizes(function, rewriter);
      if (!isa<BlockAppendOp>(root) && root->use_empty()) {
        rewriter.eraseOp(root);
        continue;
      }
      if (failed(distribute(rewriter, root, *planRoot(root), gone)))
        return signalPassFailure();
    }
  }

  LogicalResult distribute(IRRewriter &rewriter, Operation *root, const RootPlan &plan,
                           llvm::SmallPtrSetImpl<Operation *> &gone) {
    rewriter.setInsertionPoint(root);
    if (auto append = dyn_cast<BlockAppendOp>(root))
      return distributeAppend(rewriter, append, plan);
    if (llvm::all_of(plan.sizes, [](int64_t size) { return size == 0; })) {
      root->emitOpError("cannot be divided among threads");
      return failure();
    }
    scf::SCFTileAndFuseOptions options;
    SmallVector<OpFoldResult> sizes;
    SmallVector<Attribute> mapping;
    for (int64_t size : plan.sizes) {
      sizes.push_back(rewriter.getIndexAttr(size));
      if (size)
        mapping.push_back(ThreadAttr::get(&getContext()));
    }
    options.tilingOptions.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
    options.tilingOptions.setTileSizes(sizes);
    options.setFusionControlFn(
        [&](tensor::ExtractSliceOp, OpResult producer,
            bool isDestination) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
          if (isDestination || !plan.fuses(producer.getOwner()))
            return std::nullopt;
          return scf::SCFTileAndFuseOptions::ControlFnResult{};
        });
    FailureOr<scf::SCFTileAndFuseResult> result =
        scf::tileConsumerAndFuseProducersUsingSCF(rewriter, cast<TilingInterface>(root), options);
    if (failed(result))
      return root->emitOpError("could not be tiled");
    for (LoopLikeOpInterface loop : result->loops)
      if (auto forall = dyn_cast<scf::ForallOp>(loop.getOperation()))
        forall.setMappingAttr(rewriter.getArrayAttr(mapping));
    for (Value value : root->getResults())
      if (Value replacement = result->replacements.lookup(value))
        rewriter.replaceAllUsesWith(value, replacement);
    if (root->use_empty()) {
      gone.insert(root);
      rewriter.eraseOp(root);
    }
    for (Operation *producer : result->fusedProducers)
      if (!gone.contains(producer) && producer->use_empty()) {
        gone.insert(producer);
        rewriter.eraseOp(producer);
      }
    return success();
  }

  /// An append has no result, so upstream tiling has no loop to hang it on.
  LogicalResult distributeAppend(IRRewriter &rewriter, BlockAppendOp op, const RootPlan &plan) {
    Location loc = op.getLoc();
    OpFoldResult rows = op.getIterationDomain(rewriter)[0].size;
    auto forall = scf::ForallOp::create(
        rewriter, loc, ArrayRef<OpFoldResult>{rewriter.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{rows}, ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)},
        ValueRange{}, rewriter.getArrayAttr({ThreadAttr::get(&getContext())}));
    rewriter.setInsertionPoint(forall.getTerminator());
    FailureOr<TilingResult> tiled = op.getTiledImplementation(
        rewriter, {forall.getInductionVars()[0]}, {rewriter.getIndexAttr(1)});
    if (failed(tiled))
      return failure();
    SmallVector<LoopLikeOpInterface> loops = {cast<LoopLikeOpInterface>(forall.getOperation())};
    SmallVector<Operation *> candidates = tiled->generatedSlices;
    while (!candidates.empty()) {
      auto slice = dyn_cast<tensor::ExtractSliceOp>(candidates.pop_back_val());
      if (!slice)
        continue;
      Operation *producer = slice.getSource().getDefiningOp();
      if (!producer || !plan.fuses(producer))
        continue;
      auto fused = scf::tileAndFuseProducerOfSlice(rewriter, slice, loops);
      if (!fused)
        return op.emitOpError("could not take along ") << producer->getName();
      llvm::append_range(candidates, fused->generatedSlices);
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace
} // namespace mlir::quench
