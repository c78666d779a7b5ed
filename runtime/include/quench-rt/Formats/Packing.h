//===- Packing.h - storage orders of weights in memory --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A layout says in which order the bytes of an N×K weight lie in memory; it never
// changes a value. Compiled code asks for a layout, the runtime packs canonical
// bytes into it once.
//
// `Plain`: the canonical bytes (see Format.h).
//
// `Rows8`: rows interleaved by eight, for a register tile that holds eight outputs.
// N is padded to a multiple of 8; bytes of rows that do not exist are zero. With
// g = row group, r = row in the group, b = block of 32 along K:
//
//   Q4_1  [N/8][K/32][160]  8×f16 d (rows 0…7), 8×f16 m, then 4 chunks of 32 bytes.
//                           Byte j of chunk i belongs to row j/4 and, with kk = j%4,
//                           holds the code of k = 4i+kk in its low nibble and the
//                           code of k = 16+4i+kk in its high nibble.
//   Q8_0  [N/8][K/32][272]  8×f16 d, then 8 chunks of 32 bytes. Byte j of chunk i is
//                           the signed code of row j/4 at k = 4i + j%4.
//   F16, BF16  [N/8][K][8]  16-bit words: word r of column k is row r's.
//   F32        [N/8][K][8]  32-bit words.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_FORMATS_PACKING_H
#define QUENCH_RT_FORMATS_PACKING_H

#include "quench-rt/Formats/Format.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace qrt {

enum class Layout : uint8_t { Plain, Rows8 };

/// Rows of a Rows8 group.
inline constexpr int64_t kRows8 = 8;

/// "plain" or "rows8".
std::string_view layoutName(Layout layout);

/// The layout of a name; none if there is no such layout.
std::optional<Layout> layoutByName(std::string_view name);

/// Whether `pack` knows the pair. Plain takes every format.
bool hasLayout(Format format, Layout layout);

/// Bytes of an n×k tensor in a layout, padding included; 0 if the pair is not
/// supported, `n` is not positive, `k` is not a positive multiple of the block, or
/// the size does not fit.
size_t packedBytes(Format format, Layout layout, int64_t n, int64_t k);

/// Packs `n` canonical rows of `k` numbers into rows firstRow … firstRow+n−1 of the
/// packed tensor that starts at `packed`. In Rows8, `firstRow` must be a multiple
/// of 8, and the last group is padded with zeros when n is not. Different row
/// groups may be packed by different threads. False, and nothing written, where
/// packedBytes would be 0 or `firstRow` does not fit.
bool pack(Format format, Layout layout, const uint8_t *canonicalRows, int64_t n, int64_t k,
          uint8_t *packed, int64_t firstRow = 0);

} // namespace qrt

#endif // QUENCH_RT_FORMATS_PACKING_H
