//===- MatmulTile.cpp - how a format's packed block meets activations ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MatmulTile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static Value loadBytes(VectorEmitter &e, Value weights, Value group, Value block, int64_t offset,
                       int64_t count) {
  return e.load(e.vec(e.getI8Type(), count), weights, {group, block, e.index(offset)});
}

static Value loadHalves(VectorEmitter &e, Value weights, Value group, Value block, int64_t offset) {
  Value bytes = loadBytes(e, weights, group, block, offset, 16);
  Value halves = e.bitcast(e.vec(e.getF16Type()), bytes);
  return arith::ExtFOp::create(e, e.vec(e.getF32Type()), halves);
}

PackedBlock mlir::quench::detail::loadBlock(VectorEmitter &e, FormatAttrInterface format,
                                            Value weights, Value group, Value block) {
  PackedBlock result;
  result.scales = loadHalves(e, weights, group, block, 0);
  if (isa<Q8_0Attr>(format)) {
    result.isSigned = true;
    for (int64_t i = 0; i < 8; ++i)
      result.codes.push_back(loadBytes(e, weights, group, block, 16 + 32 * i, 32));
    return result;
  }
  // q4_1: the low nibbles are columns 0..15, the high ones 16..31.
  result.minima = loadHalves(e, weights, group, block, 16);
  Type bytes = e.vec(e.getI8Type(), 32), words = e.vec(e.getI16Type(), 16);
  Value low = e.splatInt(bytes, 15), four = e.splatInt(words, 4);
  result.codes.resize(8);
  for (int64_t i = 0; i < 4; ++i) {
    Value pairs = loadBytes(e, weights, group, block, 32 + 32 * i, 32);
    result.codes[i] = arith::AndIOp::create(e, pairs, low);
    // There is no shift of bytes on x86: shift words, then mask.
    Value shifted = arith::ShRUIOp::create(e, e.bitcast(words, pairs), four);
    result.codes[i + 4] = arith::AndIOp::create(e, e.bitcast(bytes, shifted), low);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Integer products
//===----------------------------------------------------------------------===//

static Value intrinsic(VectorEmitter &e, StringRef name, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(e, type, e.getStringAttr(name), operands).getResult(0);
}

IntegerDot::IntegerDot(VectorEmitter &e, TileKind kind, const PackedBlock &block)
    : e(e), kind(kind), block(block) {
  if (kind != TileKind::AVX2 || !block.isSigned)
    return;
  for (Value code : block.codes)
    magnitudes.push_back(
        intrinsic(e, "llvm.abs", code.getType(), {code, arith::ConstantIntOp::create(e, 0, 1)}));
}

/// Columns 4*i … 4*i+3 of a row of activations, for all eight weight rows.
Value IntegerDot::chunk(Value acts, Value row, Value column, int64_t i) {
  Value at = e.add(column, e.index(4 * i));
  Value four = e.load(e.vec(e.getI8Type(), 4), acts, {row, at});
  Value word = e.bitcast(e.vec(e.getI32Type(), 1), four);
  return e.bitcast(e.vec(e.getI8Type(), 32), e.broadcast(e.vec(e.getI32Type()), word));
}

Value IntegerDot::dot(Value acts, Value row, Value column) {
  if (kind == TileKind::Portable)
    return dotPortable(acts, row, column);
  return block.isSigned ? dotSignedAVX2(acts, row, column) : dotUnsignedAVX2(acts, row, column);
}

/// Plain shifts, multiplications and additions of i32 lanes.
Value IntegerDot::dotPortable(Value acts, Value row, Value column) {
  Type lanes = e.vec(e.getI32Type());
  Value sum = e.splatInt(lanes, 0), top = e.splatInt(lanes, 24);
  for (int64_t i = 0; i < 8; ++i) {
    Value codes = e.bitcast(lanes, block.codes[i]);
    for (int64_t j = 0; j < 4; ++j) {
      Value high = arith::ShLIOp::create(e, codes, e.splatInt(lanes, 24 - 8 * j));
      Value code = block.isSigned ? Value(arith::ShRSIOp::create(e, high, top))
                                  : Value(arith::ShRUIOp::create(e, high, top));
      Value act =
          memref::LoadOp::create(e, acts, ValueRange{row, e.add(column, e.index(4 * i + j))});
      Value wide = e.broadcast(lanes, arith::ExtSIOp::create(e, e.getI32Type(), act));
      sum = e.add(sum, e.mul(code, wide));
    }
  }
  return sum;
}

/// Codes are at most 15: eight pairs of products stay below 2^15 (8*2*15*127).
Value IntegerDot::dotUnsignedAVX2(Value acts, Value row, Value column) {
  Type words = e.vec(e.getI16Type(), 16);
  Value sums[2];
  for (int64_t i = 0; i < 8; ++i) {
    Value products = intrinsic(e, "llvm.x86.avx2.pmadd.ub.sw", words,
                               {block.codes[i], chunk(acts, row, column, i)});
    sums[i & 1] = i < 2 ? products : e.add(sums[i & 1], products);
  }
  return intrinsic(e, "llvm.x86.avx2.pmadd.wd", e.vec(e.getI32Type()),
                   {e.add(sums[0], sums[1]), e.splatInt(words, 1)});
}

/// |w| * (a with w's sign): a pair of products is at most 2*128*127 < 2^15, so
/// each goes to 32 bits at once. An activation is never -128, whose sign cannot
/// change.
Value IntegerDot::dotSignedAVX2(Value acts, Value row, Value column) {
  Type words = e.vec(e.getI16Type(), 16), lanes = e.vec(e.getI32Type());
  Value one = e.splatInt(words, 1), sum;
  for (int64_t i = 0; i < 8; ++i) {
    Value act = chunk(acts, row, column, i);
    Value turned = intrinsic(e, "llvm.x86.avx2.psign.b", act.getType(), {act, block.codes[i]});
    Value products = intrinsic(e, "llvm.x86.avx2.pmadd.ub.sw", words, {magnitudes[i], turned});
    Value part = intrinsic(e, "llvm.x86.avx2.pmadd.wd", lanes, {products, one});
    sum = sum ? e.add(sum, part) : part;
  }
  return sum;
}
