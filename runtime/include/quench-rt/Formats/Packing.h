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
// g = row group, r = row in the group:
//
//   F16, BF16  [N/8][K][8]  16-bit words: word r of column k is row r's.
//   F32        [N/8][K][8]  32-bit words.
//   others     [N/8][K/block] blocks: 8×f16 d (rows 0…7), 8×f16 m in formats that have
//              minima, then for each 32 columns their scales and their codes.
//
// Scales exist in super-blocks only, 16 bytes for each 32 columns: eight (one a row),
// then eight more.
//
//   Q4_K, Q5_K  s, then t
//   Q3_K, Q6_K  s of columns 0…15, then of 16…31, signed
//   Q2_K        s | t << 4 of columns 0…15, then of 16…31
//
// Codes lie in planes, each with some bits of every code, low bits first: Q2_K {2},
// Q3_K {2, 1}, Q4_0, Q4_1 and Q4_K {4}, Q5_0, Q5_1 and Q5_K {4, 1}, Q6_K {4, 2},
// Q8_0 {8}. A plane of b bits is b pieces of 32 bytes, four a row: byte 4r+kk of piece p
// holds, lowest first, the bits of columns 4(p + b·0) + kk, 4(p + b·1) + kk, …
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
