//===- MatmulTile.h - how a format's packed block meets activations ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_MATMULTILE_H
#define QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_MATMULTILE_H

#include "Patterns.h"
#include "VectorEmitter.h"
#include "quench/Dialect/Quench/IR/QuenchAttrs.h"

namespace mlir::quench::detail {

/// One packed block of 32 columns and 8 rows, loaded into registers.
struct PackedBlock {
  Value scales;             // 8 x f32
  Value minima;             // 8 x f32, null if the format has none
  SmallVector<Value> codes; // 8 chunks of 32 x i8: byte j of chunk i is row j/4, column 4*i + j%4
  bool isSigned = false;
};

/// Loads block (group, block) of `weights`: G x B x bytes x i8.
PackedBlock loadBlock(VectorEmitter &e, FormatAttrInterface format, Value weights, Value group,
                      Value block);

/// Exact integer sums of the block's codes with the 32 i8 codes of row `row` of
/// `acts`, from column `column` on: 8 x i32, one for each weight row.
class IntegerDot {
public:
  /// Chooses the form; precomputes what all rows share.
  IntegerDot(VectorEmitter &e, TileKind kind, const PackedBlock &block);
  Value dot(Value acts, Value row, Value column);

private:
  Value chunk(Value acts, Value row, Value column, int64_t i);
  Value dotPortable(Value acts, Value row, Value column);
  Value dotUnsignedAVX2(Value acts, Value row, Value column);
  Value dotSignedAVX2(Value acts, Value row, Value column);

  VectorEmitter &e;
  TileKind kind;
  const PackedBlock &block;
  SmallVector<Value> magnitudes; // |codes|, for the signed AVX2 form
};

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_MATMULTILE_H
