//===- Packing.cpp - canonical rows into a layout -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Packing.h"

#include <algorithm>
#include <cstring>

using namespace qrt;

namespace {

/// How Rows8 treats a canonical block: `scales` 16-bit words first, each gathered
/// over the eight rows, then the rest in pieces of `piece` bytes, row by row.
struct Interleave {
  size_t scales;
  size_t piece;
};

std::optional<Interleave> rows8Interleave(Format format) {
  switch (format) {
  case Format::F32:
    return Interleave{0, 4};
  case Format::F16:
  case Format::BF16:
    return Interleave{0, 2};
  case Format::Q4_1: // nibble byte j already pairs the codes of k = j and k = 16+j
    return Interleave{2, 4};
  case Format::Q8_0:
    return Interleave{1, 4};
  default:
    return std::nullopt;
  }
}

/// Packs up to eight rows: block by block, each part of a block across the rows.
template <size_t Scales, size_t Piece>
void packGroup(const uint8_t *rows, size_t rowStride, size_t numRows, size_t blockBytes,
               uint8_t *out) {
  const size_t codes = blockBytes - 2 * Scales;
  for (size_t offset = 0; offset < rowStride; offset += blockBytes) {
    const uint8_t *block = rows + offset;
    for (size_t s = 0; s < Scales; ++s)
      for (size_t r = 0; r < kRows8; ++r, out += 2)
        if (r < numRows)
          std::memcpy(out, block + r * rowStride + 2 * s, 2);
        else
          std::memset(out, 0, 2);
    for (size_t at = 0; at < codes; at += Piece)
      for (size_t r = 0; r < kRows8; ++r, out += Piece)
        if (r < numRows)
          std::memcpy(out, block + r * rowStride + 2 * Scales + at, Piece);
        else
          std::memset(out, 0, Piece);
  }
}

using PackGroupFn = void (*)(const uint8_t *, size_t, size_t, size_t, uint8_t *);

PackGroupFn packGroupFn(Interleave how) {
  if (how.scales == 2)
    return packGroup<2, 4>;
  if (how.scales == 1)
    return packGroup<1, 4>;
  return how.piece == 4 ? packGroup<0, 4> : packGroup<0, 2>;
}

} // namespace

std::string_view qrt::layoutName(Layout layout) {
  return layout == Layout::Plain ? "plain" : "rows8";
}

std::optional<Layout> qrt::layoutByName(std::string_view name) {
  for (Layout layout : {Layout::Plain, Layout::Rows8})
    if (layoutName(layout) == name)
      return layout;
  return std::nullopt;
}

bool qrt::hasLayout(Format format, Layout layout) {
  return layout == Layout::Plain || rows8Interleave(format).has_value();
}

size_t qrt::packedBytes(Format format, Layout layout, int64_t n, int64_t k) {
  size_t perRow = rowBytes(format, k);
  if (n <= 0 || perRow == 0 || !hasLayout(format, layout))
    return 0;
  size_t rows = static_cast<size_t>(n), bytes;
  if (layout == Layout::Rows8)
    rows = (rows + kRows8 - 1) / kRows8 * kRows8;
  return __builtin_mul_overflow(rows, perRow, &bytes) ? 0 : bytes;
}

bool qrt::pack(Format format, Layout layout, const uint8_t *canonicalRows, int64_t n, int64_t k,
               uint8_t *packed, int64_t firstRow) {
  int64_t end;
  if (n <= 0 || firstRow < 0 || __builtin_add_overflow(firstRow, n, &end) ||
      packedBytes(format, layout, end, k) == 0)
    return false;
  size_t stride = rowBytes(format, k);
  // Packing keeps the size of a row, so a row group starts where its rows would.
  uint8_t *out = packed + static_cast<size_t>(firstRow) * stride;
  if (layout == Layout::Plain) {
    std::memcpy(out, canonicalRows, static_cast<size_t>(n) * stride);
    return true;
  }
  if (firstRow % kRows8 != 0)
    return false;
  PackGroupFn packOne = packGroupFn(*rows8Interleave(format));
  size_t blockBytes = formatInfo(format).blockBytes;
  for (int64_t row = 0; row < n; row += kRows8) {
    size_t here = static_cast<size_t>(std::min(kRows8, n - row));
    packOne(canonicalRows + static_cast<size_t>(row) * stride, stride, here, blockBytes, out);
    out += kRows8 * stride;
  }
  return true;
}
