//===- Matmul.cpp - block_matmul as a kernel for each format ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "MatmulTile.h"
#include "Patterns.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

namespace {
/// Rows that one pass over a group of weights serves.
constexpr int64_t kMaxTileRows = 8;
/// Bytes ahead of the current block; measured best between 4 and 8 KB.
constexpr int64_t kPrefetchBytes = 4256;

struct Kernel {
  FormatAttrInterface format;
  TileKind kind;
  bool integers;
  Value weights, acts, scales, sums, out;

  void build(VectorEmitter &e) {
    Value rows = e.dim(out, 0), groups = e.dim(weights, 0);
    Value eight = e.index(kMaxTileRows);
    Value full = e.sub(rows, arith::RemUIOp::create(e, rows, eight));
    Value rest = e.sub(rows, full);
    e.loop(groups, [&](Value group) {
      e.loop(e.index(0), full, kMaxTileRows, {}, [&](Value first, ValueRange) {
        tile(e, group, first, kMaxTileRows);
        return SmallVector<Value>();
      });
      SmallVector<int64_t> cases;
      for (int64_t m = 1; m < kMaxTileRows; ++m)
        cases.push_back(m);
      auto which = scf::IndexSwitchOp::create(e, TypeRange{}, rest, cases, cases.size());
      auto fill = [&](Region &region, int64_t m) {
        OpBuilder::InsertionGuard guard(e);
        e.setInsertionPointToStart(&region.emplaceBlock());
        if (m)
          tile(e, group, full, m);
        scf::YieldOp::create(e);
      };
      for (auto [m, region] : llvm::zip(cases, which.getCaseRegions()))
        fill(region, m);
      fill(which.getDefaultRegion(), 0);
    });
  }

  /// Rows first … first+m-1 of one group of eight features.
  void tile(VectorEmitter &e, Value group, Value first, int64_t m) {
    Type lanes = e.vec(e.getF32Type());
    SmallVector<Value> rows;
    for (int64_t i = 0; i < m; ++i)
      rows.push_back(e.add(first, e.index(i)));
    SmallVector<Value> zeros(m, e.splat(lanes, 0.0));
    Value steps = e.dim(weights, 1);
    if (!format.getFloatType())
      steps = e.mul(steps, e.index(PackedFormat(format).blocks()));
    SmallVector<Value> sums = e.loop(e.index(0), steps, 1, zeros, [&](Value k, ValueRange carried) {
      if (format.getFloatType())
        return floatStep(e, group, k, rows, carried);
      return integers ? integerStep(e, group, k, rows, carried)
                      : decodedStep(e, group, k, rows, carried);
    });
    Value column = e.mul(group, e.index(8));
    for (int64_t i = 0; i < m; ++i)
      e.store(sums[i], out, {rows[i], column});
  }

  Value scalar(VectorEmitter &e, Value memref, Value row, Value column) {
    return e.broadcast(e.vec(e.getF32Type()),
                       memref::LoadOp::create(e, memref, ValueRange{row, column}));
  }

  SmallVector<Value> floatStep(VectorEmitter &e, Value group, Value k, ArrayRef<Value> rows,
                               ValueRange carried) {
    Type lanes = e.vec(e.getF32Type());
    Value w = e.load(e.vec(format.getFloatType()), weights, {group, k, e.index(0)});
    if (!format.getFloatType().isF32())
      w = arith::ExtFOp::create(e, lanes, w);
    SmallVector<Value> next;
    for (auto [row, sum] : llvm::zip(rows, carried))
      next.push_back(e.fma(w, scalar(e, acts, row, k), sum));
    return next;
  }

  void prefetch(VectorEmitter &e, const PackedFormat &packed, Value group, Value k) {
    BlockPlace place(e, packed, k);
    // May point past the end: the address is not dereferenced.
    for (int64_t line = 0; line < packed.blockBytes(); line += 64)
      memref::PrefetchOp::create(e, weights,
                                 ValueRange{group, place.super, place.at(e, kPrefetchBytes + line)},
                                 /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }

  SmallVector<Value> integerStep(VectorEmitter &e, Value group, Value k, ArrayRef<Value> rows,
                                 ValueRange carried) {
    PackedFormat packed(format);
    PackedBlock block = loadBlock(e, packed, weights, group, k);
    prefetch(e, packed, group, k);
    IntegerDot products(e, kind, block);
    Value column = e.mul(k, e.index(32));
    Type lanes = e.vec(e.getF32Type());
    SmallVector<Value> next;
    for (auto [row, sum] : llvm::zip(rows, carried)) {
      Value exact = arith::SIToFPOp::create(e, lanes, products.dot(acts, row, column));
      Value s = scalar(e, scales, row, k);
      Value scale = e.mul(block.scales, s);
      Value base = sum;
      if (!block.minimumFactors.empty()) {
        Value minima = arith::SIToFPOp::create(e, lanes, products.minimumDot(acts, row, column));
        base = e.fma(minima, e.mul(block.minima, s), sum);
      } else if (block.minima) {
        base = e.fma(block.minima, scalar(e, sums, row, k), sum);
      }
      next.push_back(e.fma(exact, scale, base));
    }
    return next;
  }

  /// Exactly decoded weights with f32 activations, ascending columns.
  SmallVector<Value> decodedStep(VectorEmitter &e, Value group, Value k, ArrayRef<Value> rows,
                                 ValueRange carried) {
    Type lanes = e.vec(e.getF32Type()), words = e.vec(e.getI32Type());
    PackedBlock block = loadBlock(e, PackedFormat(format), weights, group, k);
    Value column = e.mul(k, e.index(32)), top = e.splatInt(words, 24);
    SmallVector<Value> next(carried.begin(), carried.end());
    Value scale = block.scales, minimum = block.minima;
    for (int64_t i = 0; i < 8; ++i) {
      if (!block.factors.empty() && i % 4 == 0)
        scale = e.mul(block.scales, arith::SIToFPOp::create(e, lanes, block.factors[i / 4]));
      if (!block.minimumFactors.empty() && i % 4 == 0)
        minimum =
            e.mul(block.minima, arith::SIToFPOp::create(e, lanes, block.minimumFactors[i / 4]));
      Value codes = e.bitcast(words, block.codes[i]);
      for (int64_t j = 0; j < 4; ++j) {
        Value high = arith::ShLIOp::create(e, codes, e.splatInt(words, 24 - 8 * j));
        Value code = block.isSigned ? Value(arith::ShRSIOp::create(e, high, top))
                                    : Value(arith::ShRUIOp::create(e, high, top));
        Value w = e.mul(scale, arith::SIToFPOp::create(e, lanes, code));
        if (minimum)
          w = e.add(w, minimum);
        Value at = e.add(column, e.index(4 * i + j));
        for (auto [row, sum] : llvm::zip(rows, next))
          sum = e.fma(w, scalar(e, acts, row, at), sum);
      }
    }
    return next;
  }
};

struct LowerMatmul : OpRewritePattern<BlockMatmulOp> {
  LowerMatmul(MLIRContext *context, TileKind kind) : OpRewritePattern(context), kind(kind) {}

  LogicalResult matchAndRewrite(BlockMatmulOp op, PatternRewriter &rewriter) const override {
    auto weights = dyn_cast<MemRefType>(op.getWeights().getType());
    if (!weights)
      return rewriter.notifyMatchFailure(op, "expected buffers");
    bool integers = bool(op.getScales());
    SmallVector<Value> operands = {op.getWeights(), op.getActs()};
    if (integers)
      llvm::append_values(operands, op.getScales(), op.getSums());
    operands.push_back(op.getOutputs()[0]);
    SmallVector<Type> types;
    for (Value operand : operands)
      types.push_back(
          getKernelType(cast<MemRefType>(operand.getType()),
                        operand == op.getWeights() ? ArrayRef<int64_t>{2} : ArrayRef<int64_t>{}));
    std::string name =
        ("quench_matmul_" + op.getFormat().getName() + (integers ? "_i8" : "_f32")).str();
    callKernel(rewriter, op, name, types, operands, [&](VectorEmitter &e, ValueRange arguments) {
      Kernel kernel{op.getFormat(),
                    kind,
                    integers,
                    arguments[0],
                    arguments[1],
                    integers ? arguments[2] : Value(),
                    integers ? arguments[3] : Value(),
                    arguments.back()};
      kernel.build(e);
    });
    return success();
  }

  TileKind kind;
};
} // namespace

void mlir::quench::detail::populateMatmul(RewritePatternSet &patterns, TileKind kind) {
  patterns.add<LowerMatmul>(patterns.getContext(), kind);
}
