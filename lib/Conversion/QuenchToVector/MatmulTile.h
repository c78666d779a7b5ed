//===- MatmulTile.h - how a format's packed block meets activations ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_MATMULTILE_H
#define QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_MATMULTILE_H

#include "PackedFormat.h"
#include "Patterns.h"
#include "VectorEmitter.h"
#include "quench/Dialect/Quench/IR/QuenchAttrs.h"

namespace mlir::quench::detail {

/// One packed block of 32 columns and 8 rows, loaded into registers. A weight is
///   (scales · factors[half]) · code + (minima · minimumFactors[half])
/// where what a format does not have is left out.
struct PackedBlock {
  Value scales;                      // 8 x f32
  Value minima;                      // 8 x f32, or null
  SmallVector<Value> factors;        // of columns 0..15 and 16..31: 8 x i32, or none
  SmallVector<Value> minimumFactors; // the same for minima
  SmallVector<Value> codes; // 8 chunks of 32 x i8: byte j of chunk i is row j/4, column 4*i + j%4
  bool isSigned = false;    // the codes
  int64_t largest = 0;      // magnitude of a code
};

/// Loads block `k` (32 columns) of `group` from `weights`: G x B x bytes x i8.
PackedBlock loadBlock(VectorEmitter &e, const PackedFormat &format, Value weights, Value group,
                      Value k);

/// Exact integer sums of the block's codes (times the factors, if it has some) with the
/// 32 i8 codes of row `row` of `acts`, from column `column` on: 8 x i32, one for each
/// weight row. Below 2^24 for every format: 32 · 32 · 128 · 127 in Q6_K.
class IntegerDot {
public:
  /// Chooses the form; precomputes what all rows share.
  IntegerDot(VectorEmitter &e, TileKind kind, const PackedBlock &block);
  Value dot(Value acts, Value row, Value column);
  /// The same of minimumFactors with the activations alone.
  Value minimumDot(Value acts, Value row, Value column);

private:
  /// What is multiplied with activations.
  struct Codes {
    SmallVector<Value> chunks;     // as PackedBlock::codes
    SmallVector<Value> magnitudes; // of signed chunks, for the AVX2 form
    bool isSigned = false;
    int64_t largest = 0;
  };
  Value chunk(Value acts, Value row, Value column, int64_t i);
  /// Of `count` chunks.
  Value part(const Codes &codes, Value acts, Value row, Value column, int64_t first, int64_t count);
  Value partPortable(const Codes &codes, Value acts, Value row, Value column, int64_t first,
                     int64_t count);
  Value partAVX2(const Codes &codes, Value acts, Value row, Value column, int64_t first,
                 int64_t count);

  VectorEmitter &e;
  TileKind kind;
  const PackedBlock &block;
  Codes codes, minima; ///< minima: the factors, each repeated over its columns
};

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_MATMULTILE_H
