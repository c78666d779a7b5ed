//===- Attention.cpp - cache append and attention over pages ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Patterns.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

namespace {
Value pageOf(VectorEmitter &e, CachePart part, Value cache, Value page, Value layer, Value head) {
  auto type = cast<CacheTypeInterface>(cache.getType());
  SmallVector<int64_t> shape = {type.getDim(), type.getSlots()};
  if (part == CachePart::Values)
    std::swap(shape[0], shape[1]);
  return CachePageOp::create(e, MemRefType::get(shape, type.getElement()), part, cache, page, layer,
                             head);
}

/// A layer that the cache does not have is its last one, so that a wrong program
/// does not leave the page.
Value boundedLayer(VectorEmitter &e, Value layer, CacheTypeInterface cache) {
  return arith::MinUIOp::create(e, layer, e.index(cache.getLayers() - 1));
}

Value toElement(VectorEmitter &e, Value v, FloatType element) {
  if (element.isF32())
    return v;
  auto type = cast<VectorType>(v.getType());
  return arith::TruncFOp::create(e, VectorType::get(type.getShape(), element), v);
}

Value loadF32(VectorEmitter &e, Value memref, ValueRange indices) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Value v = e.load(e.vec(element), memref, indices);
  return element.isF32() ? v : Value(arith::ExtFOp::create(e, e.vec(e.getF32Type()), v));
}

struct LowerAppend : OpRewritePattern<BlockAppendOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockAppendOp op, PatternRewriter &rewriter) const override {
    if (!isa<MemRefType>(op.getKeys().getType()))
      return rewriter.notifyMatchFailure(op, "expected buffers");
    VectorEmitter e(op.getLoc(), rewriter);
    auto cache = cast<CacheTypeInterface>(op.getCache().getType());
    int64_t dim = cache.getDim();
    Value slots = e.index(cache.getSlots());
    Value capacity = CacheCapacityOp::create(e, e.getIndexType(), op.getCache());
    Value layer = boundedLayer(e, op.getLayer(), cache);
    e.loop(e.dim(op.getKeys(), 0), [&](Value row) {
      Value position = memref::LoadOp::create(e, op.getPositions(), ValueRange{row});
      position = arith::IndexCastUIOp::create(e, e.getIndexType(), position);
      Value inside = arith::CmpIOp::create(e, arith::CmpIPredicate::ult, position, capacity);
      auto guarded = scf::IfOp::create(e, inside, /*withElse=*/false);
      OpBuilder::InsertionGuard guard(e);
      e.setInsertionPointToStart(guarded.thenBlock());
      Value page = arith::DivUIOp::create(e, position, slots),
            slot = arith::RemUIOp::create(e, position, slots);
      e.loop(e.index(cache.getHeads()), [&](Value head) {
        Value keys = pageOf(e, CachePart::Keys, op.getCache(), page, layer, head);
        Value values = pageOf(e, CachePart::Values, op.getCache(), page, layer, head);
        Value first = e.mul(head, e.index(dim));
        e.loop(e.index(0), e.index(dim), 8, {}, [&](Value d, ValueRange) {
          Value column = e.add(first, d);
          Value k = toElement(e, e.load(e.vec(e.getF32Type()), op.getKeys(), {row, column}),
                              cache.getElement());
          for (int64_t i = 0; i < 8; ++i)
            memref::StoreOp::create(e, vector::ExtractOp::create(e, k, ArrayRef<int64_t>{i}), keys,
                                    ValueRange{e.add(d, e.index(i)), slot});
          Value v = toElement(e, e.load(e.vec(e.getF32Type()), op.getValues(), {row, column}),
                              cache.getElement());
          e.store(v, values, {slot, d});
          return SmallVector<Value>();
        });
      });
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// Vectors of weighted values that one loop over slots accumulates: what fits into
/// sixteen registers beside a weight and a value.
constexpr int64_t kAccumulators = 8;

/// One query head of one row over the pages up to its position, or, with a window, over
/// those that have one of the last `window` positions.
class AttendKernel {
public:
  AttendKernel(CacheTypeInterface cache, ValueRange arguments)
      : type(cache), query(arguments[0]), positions(arguments[1]), cache(arguments[2]),
        layer(arguments[3]), firstHead(arguments[4]), group(arguments[5]), scale(arguments[6]),
        out(arguments[7]), window(arguments.size() > 8 ? arguments[8] : Value()) {}

  void build(VectorEmitter &e) {
    int64_t dim = type.getDim(), slots = type.getSlots();
    floats = e.vec(e.getF32Type());
    ints = e.vec(e.getI32Type());
    weights = memref::AllocaOp::create(e, MemRefType::get({slots}, e.getF32Type()),
                                       e.getI64IntegerAttr(64));
    Value heads = arith::DivUIOp::create(e, e.dim(query, 1), e.index(dim));
    layer = boundedLayer(e, layer, type);
    e.loop(e.dim(query, 0), [&](Value row) {
      Value position = memref::LoadOp::create(e, positions, ValueRange{row});
      Value last = arith::IndexCastUIOp::create(e, e.getIndexType(), position);
      // A position beyond the cache (which the caller excludes) reads what there is.
      Value capacity = CacheCapacityOp::create(e, e.getIndexType(), cache);
      last = arith::MinUIOp::create(e, last, e.sub(capacity, e.index(1)));
      Value pages = e.add(arith::DivUIOp::create(e, last, e.index(slots)), e.index(1));
      Value earliest = e.index(0);
      if (window) {
        Value end = e.add(last, e.index(1));
        earliest = e.sub(end, arith::MinUIOp::create(e, end, window));
      }
      Value firstPage = arith::DivUIOp::create(e, earliest, e.index(slots));
      e.loop(heads, [&](Value head) {
        Value kvHead = arith::DivUIOp::create(e, e.add(firstHead, head), group);
        Value column = e.mul(head, e.index(dim));
        SmallVector<Value> state = {
            e.splat(e.getF32Type(), -std::numeric_limits<double>::infinity()),
            e.splat(e.getF32Type(), 0.0)};
        state.append(dim / 8, e.splat(floats, 0.0));
        state = e.loop(firstPage, pages, 1, state, [&](Value page, ValueRange carried) {
          return chunk(e, row, column, kvHead, page, earliest, last, carried);
        });
        Value total = e.broadcast(floats, state[1]);
        for (int64_t i = 0; i < dim / 8; ++i)
          e.store(e.div(state[2 + i], total), out, {row, e.add(column, e.index(8 * i))});
      });
    });
  }

private:
  /// Carried: running maximum, running sum, dim/8 vectors of weighted values.
  SmallVector<Value> chunk(VectorEmitter &e, Value row, Value column, Value kvHead, Value page,
                           Value earliest, Value last, ValueRange carried) {
    int64_t dim = type.getDim(), slots = type.getSlots(), groups = slots / 8;
    Value keys = pageOf(e, CachePart::Keys, cache, page, layer, kvHead);
    Value values = pageOf(e, CachePart::Values, cache, page, layer, kvHead);
    SmallVector<Value> scores(groups, e.splat(floats, 0.0));
    scores = e.loop(e.index(0), e.index(dim), 1, scores, [&](Value d, ValueRange sums) {
      Value q = memref::LoadOp::create(e, query, ValueRange{row, e.add(column, d)});
      Value wide = e.broadcast(floats, q);
      SmallVector<Value> next;
      for (int64_t j = 0; j < groups; ++j)
        next.push_back(e.fma(wide, loadF32(e, keys, {d, e.index(8 * j)}), sums[j]));
      return next;
    });
    // Slots after the row's position, or before its window, count as -inf.
    Value first = e.mul(page, e.index(slots));
    auto inPage = [&](Value position) {
      Value slot = arith::IndexCastOp::create(e, e.getI32Type(), e.sub(position, first));
      return e.broadcast(ints, slot);
    };
    Value limit = inPage(last), start = window ? inPage(earliest) : Value(),
          minusInfinity = e.splat(floats, -std::numeric_limits<double>::infinity());
    Value factor = e.broadcast(floats, scale), best;
    for (int64_t j = 0; j < groups; ++j) {
      Value slot = e.add(e.lanes(), e.splatInt(ints, 8 * j));
      Value seen = arith::CmpIOp::create(e, arith::CmpIPredicate::sle, slot, limit);
      if (window)
        seen = arith::AndIOp::create(
            e, seen, arith::CmpIOp::create(e, arith::CmpIPredicate::sge, slot, start));
      scores[j] = e.select(seen, e.mul(scores[j], factor), minusInfinity);
      best = best ? e.larger(best, scores[j]) : scores[j];
    }
    Value maximum = e.larger(carried[0], e.maxLanes(best));
    Value wideMaximum = e.broadcast(floats, maximum), sum;
    for (int64_t j = 0; j < groups; ++j) {
      Value p = e.exp(e.sub(scores[j], wideMaximum));
      e.store(p, weights, {e.index(8 * j)});
      sum = sum ? e.add(sum, p) : p;
    }
    // Scalars of exp go through a vector: one polynomial for all.
    Value alpha = e.exp(e.broadcast(floats, e.sub(carried[0], maximum)));
    Value scalarAlpha = vector::ExtractOp::create(e, alpha, ArrayRef<int64_t>{0});
    SmallVector<Value> next = {maximum, e.add(e.mul(carried[1], scalarAlpha), e.sumLanes(sum))};
    // Never outside of what the row attends to: a slot there may hold anything.
    Value end = arith::MinUIOp::create(e, e.index(slots), e.add(e.sub(last, first), e.index(1)));
    Value begin = e.index(0);
    if (window)
      begin = e.sub(arith::MaxUIOp::create(e, earliest, first), first);
    carried = carried.drop_front(2);
    for (int64_t at = 0; at < dim / 8; at += kAccumulators) {
      SmallVector<Value> sums;
      for (Value value : carried.slice(at, std::min(kAccumulators, dim / 8 - at)))
        sums.push_back(e.mul(value, alpha));
      sums = e.loop(begin, end, 1, sums, [&](Value slot, ValueRange partial) {
        Value wide = e.broadcast(floats, memref::LoadOp::create(e, weights, ValueRange{slot}));
        SmallVector<Value> result;
        for (auto [i, sum] : llvm::enumerate(partial))
          result.push_back(e.fma(wide, loadF32(e, values, {slot, e.index(8 * (at + i))}), sum));
        return result;
      });
      llvm::append_range(next, sums);
    }
    return next;
  }

  CacheTypeInterface type;
  Value query, positions, cache, layer, firstHead, group, scale, out, window, weights;
  VectorType floats, ints;
};

struct LowerAttend : OpRewritePattern<BlockAttendOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockAttendOp op, PatternRewriter &rewriter) const override {
    auto query = dyn_cast<MemRefType>(op.getQuery().getType());
    if (!query)
      return rewriter.notifyMatchFailure(op, "expected buffers");
    auto cache = cast<CacheTypeInterface>(op.getCache().getType());
    VectorEmitter e(op.getLoc(), rewriter);
    Value group = e.index(op.getGroup());
    Value scale = arith::ConstantOp::create(e, op.getScaleAttr());
    SmallVector<Value> operands = {op.getQuery(), op.getPositions(), op.getCache(),
                                   op.getLayer(), op.getFirstHead(), group,
                                   scale,         op.getOutputs()[0]};
    if (op.getWindow())
      operands.push_back(e.index(*op.getWindow()));
    SmallVector<Type> types;
    for (Value operand : operands) {
      auto memref = dyn_cast<MemRefType>(operand.getType());
      types.push_back(memref ? Type(getKernelType(memref)) : operand.getType());
    }
    std::string name;
    llvm::raw_string_ostream(name)
        << "quench_attend_" << cache.getKind() << cache.getLayers() << "x" << cache.getHeads()
        << "x" << cache.getDim() << "_" << cache.getElement() << "_" << cache.getSlots()
        << (op.getWindow() ? "_window" : "");
    callKernel(rewriter, op, name, types, operands,
               [&](VectorEmitter &kernel, ValueRange arguments) {
                 AttendKernel(cache, arguments).build(kernel);
               });
    return success();
  }
};
} // namespace

void mlir::quench::detail::populateAttention(RewritePatternSet &patterns) {
  patterns.add<LowerAppend, LowerAttend>(patterns.getContext());
}
