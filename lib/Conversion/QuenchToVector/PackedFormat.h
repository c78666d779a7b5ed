//===- PackedFormat.h - where a block format's numbers lie in layout rows<8> ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The arrangement is described in quench-rt/Formats/Packing.h; its table is the runtime's.
//
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_PACKEDFORMAT_H
#define QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_PACKEDFORMAT_H

#include "VectorEmitter.h"
#include "quench-rt/Formats/BlockArrangement.h"
#include "quench/Dialect/Quench/IR/QuenchAttrs.h"

namespace mlir::quench::detail {

using qrt::GroupScales;

struct PackedFormat : qrt::BlockArrangement {
  /// Of a block format.
  explicit PackedFormat(FormatAttrInterface format);

  bool isSigned() const { return signedBytes || offset; }
  /// The largest magnitude of a code.
  int64_t largest() const;
  int64_t bits() const { return planes[0] + planes[1]; }
  int64_t headerBytes() const { return hasMinimum ? 32 : 16; }
  int64_t scaleBytes() const { return scales == GroupScales::None ? 0 : 16; }
  /// Of 32 columns.
  int64_t blockBytes() const { return scaleBytes() + qrt::kArrangedColumns * bits(); }
  /// Blocks of 32 columns that share d and m.
  int64_t blocks() const { return blockElements / qrt::kArrangedColumns; }

private:
  int64_t blockElements;
};

/// Block `k` (of 32 columns) of a group: its super-block, and where in that it begins.
struct BlockPlace {
  Value super, start;

  BlockPlace(VectorEmitter &e, const PackedFormat &format, Value k);
  /// The index `bytes` behind the start.
  Value at(VectorEmitter &e, int64_t bytes) const { return e.add(start, e.index(bytes)); }
};

/// Chunk i (columns 4i … 4i+3) of a block's codes. `load(plane offset, piece)` gives the
/// bytes of a piece as integers that `shift` moves (positive: right). Codes of formats
/// with an offset come out signed.
Value assembleChunk(VectorEmitter &e, const PackedFormat &format, int64_t i,
                    function_ref<Value(int64_t offset)> load,
                    function_ref<Value(Value bytes, int64_t right, int64_t mask)> field);

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_PACKEDFORMAT_H
