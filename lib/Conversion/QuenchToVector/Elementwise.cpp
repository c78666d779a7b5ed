//===- Elementwise.cpp - element-wise linalg on buffers as vectors ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "VectorEmitter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

namespace {
/// A generic over (rows, columns) whose operands are indexed by both, or by the
/// column alone. One masked or full vector of eight columns at a time.
struct VectorizeElementwise : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureBufferSemantics() || op.getNumLoops() != 2 || op.getNumParallelLoops() != 2 ||
        op.getNumDpsInits() != 1)
      return rewriter.notifyMatchFailure(op,
                                         "expected a two-dimensional element-wise op on buffers");
    AffineMap full = rewriter.getMultiDimIdentityMap(2);
    AffineMap column = AffineMap::get(2, 0, {rewriter.getAffineDimExpr(1)}, op.getContext());
    for (AffineMap map : op.getIndexingMapsArray())
      if (map != full && map != column)
        return rewriter.notifyMatchFailure(op,
                                           "expected operands indexed by (row, column) or column");
    for (Operation &inner : op.getBody()->without_terminator())
      if (!OpTrait::hasElementwiseMappableTraits(&inner) &&
          !inner.hasTrait<OpTrait::ConstantLike>())
        return rewriter.notifyMatchFailure(op, "expected element-wise maths in the body");
    Value out = op.getDpsInits()[0];
    int64_t width = cast<MemRefType>(out.getType()).getDimSize(1);
    if (ShapedType::isDynamic(width))
      return rewriter.notifyMatchFailure(op, "expected a static number of columns");
    // Lanes behind the last column hold zeros: a division by them would trap.
    if (width % VectorEmitter::kLanes != 0)
      for (Operation &inner : op.getBody()->without_terminator())
        if (!isSpeculatable(&inner))
          return rewriter.notifyMatchFailure(op, "an op that may trap needs full vectors");

    VectorEmitter e(op.getLoc(), rewriter);
    e.loop(e.dim(out, 0), [&](Value row) {
      e.columns(width, [&](Value first, int64_t count) {
        IRMapping map;
        for (OpOperand &operand : op->getOpOperands()) {
          auto type = cast<MemRefType>(operand.get().getType());
          BlockArgument argument = op.getMatchingBlockArgument(&operand);
          if (argument.use_empty())
            continue;
          SmallVector<Value> indices;
          if (op.getMatchingIndexingMap(&operand) == full)
            indices.push_back(row);
          indices.push_back(first);
          map.map(argument,
                  e.loadPart(e.vec(type.getElementType()), operand.get(), indices, count));
        }
        for (Operation &inner : op.getBody()->without_terminator())
          emit(e, inner, map);
        Value result = wide(e, op.getBody()->getTerminator()->getOperand(0), map);
        e.storePart(result, out, {row, first}, count);
      });
    });
    rewriter.eraseOp(op);
    return success();
  }

  /// A scalar from outside the body (or a constant in it) goes to every lane.
  static Value wide(VectorEmitter &e, Value scalar, IRMapping &map) {
    Value known = map.lookupOrDefault(scalar);
    if (isa<VectorType>(known.getType()))
      return known;
    return e.broadcast(e.vec(known.getType()), known);
  }

  static void emit(VectorEmitter &e, Operation &op, IRMapping &map) {
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      map.map(op.getResult(0), e.clone(op)->getResult(0));
      return;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(wide(e, operand, map));
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(e.vec(type));
    Operation *created = Operation::create(op.getLoc(), op.getName(), types, operands,
                                           op.getDiscardableAttrDictionary(),
                                           op.getPropertiesStorage(), BlockRange(), 0u);
    e.insert(created);
    map.map(op.getResults(), created->getResults());
  }
};

struct ExpandExp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "expected f32");
    VectorEmitter e(op.getLoc(), rewriter);
    rewriter.replaceOp(op, e.exp(op.getOperand()));
    return success();
  }
};

/// Upstream lowers copies of strided buffers to a library call.
struct CopyToLoops : OpRewritePattern<memref::CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::CopyOp op, PatternRewriter &rewriter) const override {
    linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(), op.getTarget());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void mlir::quench::detail::populateElementwise(RewritePatternSet &patterns) {
  patterns.add<CopyToLoops, ExpandExp, VectorizeElementwise>(patterns.getContext());
}
