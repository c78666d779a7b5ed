//===- Packing.cpp - canonical rows into a layout -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Packing.h"

#include "quench-rt/Formats/BlockArrangement.h"
#include "quench-rt/Formats/BlockCodes.h"
#include "quench-rt/Formats/Float16.h"

#include <algorithm>
#include <cstring>

using namespace qrt;

namespace {

/// 16-bit words at the head of a block.
size_t wordsOf(const BlockArrangement &how) { return how.hasMinimum ? 2 : 1; }

/// Bytes of one row in a block that is arranged anew.
size_t arrangedBytes(const BlockArrangement &how, size_t blockElements) {
  size_t bits = size_t(how.planes[0]) + how.planes[1];
  size_t scales = how.scales == GroupScales::None ? 0 : 2;
  return 2 * wordsOf(how) +
         blockElements / size_t(kArrangedColumns) * (scales + size_t(kArrangedColumns) * bits / 8);
}

/// The rest of `packGroup` for codes of 32 columns.
uint8_t *packPlanes(const BlockArrangement &how, const BlockCodes *rows, size_t first,
                    uint8_t *out) {
  for (size_t half = 0; half < 2 && how.scales != GroupScales::None; ++half)
    for (size_t r = 0; r < kRows8; ++r) {
      const BlockCodes &row = rows[r];
      size_t group = how.scales == GroupScales::PerBlock ? first / size_t(kArrangedColumns)
                                                         : first / 16 + half;
      auto scale = static_cast<uint8_t>(row.scales[group]);
      if (how.scales == GroupScales::PerHalf)
        *out++ = scale;
      else if (how.scales == GroupScales::PerHalfWithMinima)
        *out++ = static_cast<uint8_t>(scale | row.minima[group] << 4);
      else
        *out++ = half == 0 ? scale : row.minima[group];
    }
  size_t low = 0;
  for (size_t bits : how.planes) {
    for (size_t piece = 0; piece < bits; ++piece)
      for (size_t r = 0; r < kRows8; ++r)
        for (size_t kk = 0; kk < 4; ++kk) {
          unsigned byte = 0;
          for (size_t field = 0; field < 8 / bits; ++field) {
            unsigned code = rows[r].codes[first + 4 * (piece + bits * field) + kk];
            byte |= (code >> low & ((1u << bits) - 1)) << (bits * field);
          }
          *out++ = static_cast<uint8_t>(byte);
        }
    low += bits;
  }
  return out;
}

/// Packs up to eight rows of a format that is arranged anew.
void arrangeGroup(const BlockArrangement &how, const uint8_t *rows, size_t rowStride,
                  size_t numRows, const FormatInfo &info, uint8_t *out) {
  BlockCodes block[kRows8];
  for (size_t offset = 0; offset < rowStride; offset += info.blockBytes) {
    for (size_t r = 0; r < numRows; ++r)
      info.unpack(rows + offset + r * rowStride, block[r]);
    for (size_t word = 0; word < wordsOf(how); ++word)
      for (size_t r = 0; r < kRows8; ++r, out += 2)
        storeWord(out, word == 0 ? block[r].d : block[r].m);
    for (size_t first = 0; first < info.blockElements; first += size_t(kArrangedColumns))
      out = packPlanes(how, block, first, out);
  }
}

/// Interleaves up to eight rows: block by block, each part of a block across the rows.
template <size_t Words, size_t Piece>
void packGroup(const uint8_t *rows, size_t rowStride, size_t numRows, size_t blockBytes,
               uint8_t *out) {
  const size_t codes = blockBytes - 2 * Words;
  for (size_t offset = 0; offset < rowStride; offset += blockBytes) {
    const uint8_t *block = rows + offset;
    for (size_t s = 0; s < Words; ++s)
      for (size_t r = 0; r < kRows8; ++r, out += 2)
        if (r < numRows)
          std::memcpy(out, block + r * rowStride + 2 * s, 2);
        else
          std::memset(out, 0, 2);
    for (size_t at = 0; at < codes; at += Piece)
      for (size_t r = 0; r < kRows8; ++r, out += Piece)
        if (r < numRows)
          std::memcpy(out, block + r * rowStride + 2 * Words + at, Piece);
        else
          std::memset(out, 0, Piece);
  }
}

using PackGroupFn = void (*)(const uint8_t *, size_t, size_t, size_t, uint8_t *);

/// For formats that are interleaved as they are; null for the others.
PackGroupFn packGroupFn(const FormatInfo &info, const std::optional<BlockArrangement> &how) {
  if (!how)
    return info.blockBytes == 4 ? packGroup<0, 4> : packGroup<0, 2>;
  if (!how->asStored)
    return nullptr;
  return how->hasMinimum ? packGroup<2, 4> : packGroup<1, 4>;
}

/// Bytes of one of eight rows in Rows8; 0 if the row has no size.
size_t rows8Bytes(Format format, int64_t k) {
  std::optional<BlockArrangement> how = blockArrangement(format);
  size_t perRow = rowBytes(format, k);
  if (perRow == 0 || !how || how->asStored)
    return perRow;
  const FormatInfo &info = formatInfo(format);
  size_t bytes;
  return __builtin_mul_overflow(perRow / info.blockBytes, arrangedBytes(*how, info.blockElements),
                                &bytes)
             ? 0
             : bytes;
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

size_t qrt::packedBytes(Format format, Layout layout, int64_t n, int64_t k) {
  size_t perRow = layout == Layout::Rows8 ? rows8Bytes(format, k) : rowBytes(format, k);
  if (n <= 0 || perRow == 0)
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
  const size_t stride = rowBytes(format, k);
  if (layout == Layout::Plain) {
    std::memcpy(packed + static_cast<size_t>(firstRow) * stride, canonicalRows,
                static_cast<size_t>(n) * stride);
    return true;
  }
  if (firstRow % kRows8 != 0)
    return false;
  const std::optional<BlockArrangement> how = blockArrangement(format);
  const FormatInfo &info = formatInfo(format);
  const PackGroupFn interleave = packGroupFn(info, how);
  const size_t packedStride = rows8Bytes(format, k);
  uint8_t *out = packed + static_cast<size_t>(firstRow) * packedStride;
  for (int64_t row = 0; row < n; row += kRows8, out += kRows8 * packedStride) {
    const uint8_t *rows = canonicalRows + static_cast<size_t>(row) * stride;
    const size_t here = static_cast<size_t>(std::min(kRows8, n - row));
    if (interleave)
      interleave(rows, stride, here, info.blockBytes, out);
    else
      arrangeGroup(*how, rows, stride, here, info, out);
  }
  return true;
}
