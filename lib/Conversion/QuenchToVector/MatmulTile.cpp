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

namespace {
/// Loads what eight rows have at the same place.
struct BlockLoader {
  VectorEmitter &e;
  Value weights, group;
  BlockPlace place;

  Value bytes(Value offset, int64_t count) {
    return e.load(e.vec(e.getI8Type(), count), weights, {group, place.super, offset});
  }
  /// One f16 word a row, as f32.
  Value halves(int64_t offset) {
    Value words = e.bitcast(e.vec(e.getF16Type()), bytes(e.index(offset), 16));
    return arith::ExtFOp::create(e, e.vec(e.getF32Type()), words);
  }
  /// One byte a row of the scales, as i32.
  Value scales(int64_t half, bool isSigned) {
    Value loaded = bytes(place.at(e, 8 * half), 8);
    Type ints = e.vec(e.getI32Type());
    return isSigned ? Value(arith::ExtSIOp::create(e, ints, loaded))
                    : Value(arith::ExtUIOp::create(e, ints, loaded));
  }
  Value floats(Value ints) { return arith::SIToFPOp::create(e, e.vec(e.getF32Type()), ints); }
};
} // namespace

/// There is no shift of bytes on x86: words are shifted, then what came from the
/// neighbour is masked.
static Value fieldOfBytes(VectorEmitter &e, Value bytes, int64_t right, int64_t mask) {
  Type words = e.vec(e.getI16Type(), 16);
  Value shifted = bytes;
  if (right > 0)
    shifted = e.bitcast(bytes.getType(), arith::ShRUIOp::create(e, e.bitcast(words, bytes),
                                                                e.splatInt(words, right)));
  else if (right < 0)
    shifted = e.bitcast(bytes.getType(), arith::ShLIOp::create(e, e.bitcast(words, bytes),
                                                               e.splatInt(words, -right)));
  return arith::AndIOp::create(e, shifted, e.splatInt(bytes.getType(), mask));
}

PackedBlock mlir::quench::detail::loadBlock(VectorEmitter &e, const PackedFormat &format,
                                            Value weights, Value group, Value k) {
  BlockLoader from{e, weights, group, BlockPlace(e, format, k)};
  PackedBlock result;
  result.isSigned = format.isSigned();
  result.largest = format.largest();
  result.scales = from.halves(0);
  Value m = format.hasMinimum ? from.halves(16) : Value();
  Type ints = e.vec(e.getI32Type());
  switch (format.scales) {
  case GroupScales::None:
    result.minima = m;
    break;
  case GroupScales::PerBlock: {
    Value minimum = e.mul(m, from.floats(from.scales(1, /*isSigned=*/false)));
    result.scales = e.mul(result.scales, from.floats(from.scales(0, /*isSigned=*/false)));
    result.minima = arith::NegFOp::create(e, minimum);
    break;
  }
  case GroupScales::PerHalf:
    for (int64_t half : {0, 1})
      result.factors.push_back(from.scales(half, /*isSigned=*/true));
    break;
  case GroupScales::PerHalfWithMinima:
    result.minima = arith::NegFOp::create(e, m);
    for (int64_t half : {0, 1}) {
      Value both = from.scales(half, /*isSigned=*/false);
      result.factors.push_back(arith::AndIOp::create(e, both, e.splatInt(ints, 15)));
      result.minimumFactors.push_back(arith::ShRUIOp::create(e, both, e.splatInt(ints, 4)));
    }
    break;
  }
  llvm::DenseMap<int64_t, Value> pieces;
  auto load = [&](int64_t offset) {
    Value &piece = pieces[offset];
    if (!piece)
      piece = from.bytes(from.place.at(e, offset), 32);
    return piece;
  };
  auto field = [&](Value bytes, int64_t right, int64_t mask) {
    return fieldOfBytes(e, bytes, right, mask);
  };
  for (int64_t i = 0; i < 8; ++i)
    result.codes.push_back(assembleChunk(e, format, i, load, field));
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
  codes = {block.codes, {}, block.isSigned, block.largest};
  if (kind == TileKind::AVX2 && block.isSigned)
    for (Value code : block.codes)
      codes.magnitudes.push_back(
          intrinsic(e, "llvm.abs", code.getType(), {code, arith::ConstantIntOp::create(e, 0, 1)}));
  minima.largest = 15;
  for (Value factors : block.minimumFactors) {
    Value bytes = e.mul(factors, e.splatInt(factors.getType(), 0x01010101));
    minima.chunks.append(4, e.bitcast(e.vec(e.getI8Type(), 32), bytes));
  }
}

/// Columns 4*i … 4*i+3 of a row of activations, for all eight weight rows.
Value IntegerDot::chunk(Value acts, Value row, Value column, int64_t i) {
  Value at = e.add(column, e.index(4 * i));
  Value four = e.load(e.vec(e.getI8Type(), 4), acts, {row, at});
  Value word = e.bitcast(e.vec(e.getI32Type(), 1), four);
  return e.bitcast(e.vec(e.getI8Type(), 32), e.broadcast(e.vec(e.getI32Type()), word));
}

Value IntegerDot::dot(Value acts, Value row, Value column) {
  if (block.factors.empty())
    return part(codes, acts, row, column, 0, 8);
  Value sum;
  for (int64_t half : {0, 1}) {
    Value product = e.mul(block.factors[half], part(codes, acts, row, column, 4 * half, 4));
    sum = sum ? e.add(sum, product) : product;
  }
  return sum;
}

Value IntegerDot::minimumDot(Value acts, Value row, Value column) {
  return part(minima, acts, row, column, 0, 8);
}

Value IntegerDot::part(const Codes &codes, Value acts, Value row, Value column, int64_t first,
                       int64_t count) {
  return kind == TileKind::Portable ? partPortable(codes, acts, row, column, first, count)
                                    : partAVX2(codes, acts, row, column, first, count);
}

/// Plain shifts, multiplications and additions of i32 lanes.
Value IntegerDot::partPortable(const Codes &codes, Value acts, Value row, Value column,
                               int64_t first, int64_t count) {
  Type lanes = e.vec(e.getI32Type());
  Value sum = e.splatInt(lanes, 0), top = e.splatInt(lanes, 24);
  for (int64_t i = first; i < first + count; ++i) {
    Value bytes = e.bitcast(lanes, codes.chunks[i]);
    for (int64_t j = 0; j < 4; ++j) {
      Value high = arith::ShLIOp::create(e, bytes, e.splatInt(lanes, 24 - 8 * j));
      Value code = codes.isSigned ? Value(arith::ShRSIOp::create(e, high, top))
                                  : Value(arith::ShRUIOp::create(e, high, top));
      Value act =
          memref::LoadOp::create(e, acts, ValueRange{row, e.add(column, e.index(4 * i + j))});
      Value wide = e.broadcast(lanes, arith::ExtSIOp::create(e, e.getI32Type(), act));
      sum = e.add(sum, e.mul(code, wide));
    }
  }
  return sum;
}

/// |w| * (a with w's sign), or w * a for codes without sign, in pairs. A pair is at most
/// 2 * largest * 127; as many as stay below 2^15 are added before they go to 32 bits, in
/// two chains. An activation is never -128, whose sign cannot change.
Value IntegerDot::partAVX2(const Codes &codes, Value acts, Value row, Value column, int64_t first,
                           int64_t count) {
  Type words = e.vec(e.getI16Type(), 16), lanes = e.vec(e.getI32Type());
  const int64_t most = std::max<int64_t>(1, 32767 / (2 * codes.largest * 127));
  Value one = e.splatInt(words, 1), sum;
  for (int64_t start = first; start < first + count; start += most) {
    Value chains[2];
    for (int64_t i = start; i < std::min(start + most, first + count); ++i) {
      Value act = chunk(acts, row, column, i), code = codes.chunks[i];
      if (codes.isSigned) {
        act = intrinsic(e, "llvm.x86.avx2.psign.b", act.getType(), {act, code});
        code = codes.magnitudes[i];
      }
      Value products = intrinsic(e, "llvm.x86.avx2.pmadd.ub.sw", words, {code, act});
      Value &chain = chains[(i - start) & 1];
      chain = chain ? e.add(chain, products) : products;
    }
    Value pairs = chains[1] ? e.add(chains[0], chains[1]) : chains[0];
    Value wide = intrinsic(e, "llvm.x86.avx2.pmadd.wd", lanes, {pairs, one});
    sum = sum ? e.add(sum, wide) : wide;
  }
  return sum;
}
