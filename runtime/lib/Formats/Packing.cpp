//===- Packing.cpp - canonical rows into a layout -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Packing.h"

#include "quench-rt/Formats/BlockCodes.h"
#include "quench-rt/Formats/Float16.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace qrt;

namespace {

/// How Rows8 treats a canonical block. Where the stored codes already lie in fours that
/// belong together, the bytes are interleaved as they are; elsewhere they are taken apart
/// and arranged anew.
struct Arrangement {
  size_t words;     ///< 16-bit words first, each gathered over the eight rows
  size_t piece = 0; ///< then pieces of so many bytes, row by row; or 0:
  enum Scales : uint8_t { None, PerBlock, PerHalf, PerHalfWithMinima } scales = None;
  std::array<uint8_t, 2> planes = {}; ///< bits of a code, low ones first
};

std::optional<Arrangement> rows8Arrangement(Format format) {
  switch (format) {
  case Format::F32:
    return Arrangement{0, 4};
  case Format::F16:
  case Format::BF16:
    return Arrangement{0, 2};
  case Format::Q4_0: // nibble byte j already pairs the codes of k = j and k = 16+j
    return Arrangement{1, 4};
  case Format::Q4_1:
    return Arrangement{2, 4};
  case Format::Q8_0:
    return Arrangement{1, 4};
  case Format::Q5_0:
    return Arrangement{1, 0, Arrangement::None, {4, 1}};
  case Format::Q5_1:
    return Arrangement{2, 0, Arrangement::None, {4, 1}};
  case Format::Q2_K:
    return Arrangement{2, 0, Arrangement::PerHalfWithMinima, {2, 0}};
  case Format::Q3_K:
    return Arrangement{1, 0, Arrangement::PerHalf, {2, 1}};
  case Format::Q4_K:
    return Arrangement{2, 0, Arrangement::PerBlock, {4, 0}};
  case Format::Q5_K:
    return Arrangement{2, 0, Arrangement::PerBlock, {4, 1}};
  case Format::Q6_K:
    return Arrangement{1, 0, Arrangement::PerHalf, {4, 2}};
  }
  return std::nullopt;
}

/// Columns whose codes lie together: those of a block of activations.
constexpr size_t kColumns = 32;

/// Bytes of one row in a block that is arranged anew.
size_t arrangedBytes(const Arrangement &how, size_t blockElements) {
  size_t bits = size_t(how.planes[0]) + how.planes[1];
  size_t scales = how.scales == Arrangement::None ? 0 : 2;
  return 2 * how.words + blockElements / kColumns * (scales + kColumns * bits / 8);
}

/// The rest of `packGroup` for codes of 32 columns.
uint8_t *packPlanes(const Arrangement &how, const BlockCodes *rows, size_t first, uint8_t *out) {
  for (size_t half = 0; half < 2 && how.scales != Arrangement::None; ++half)
    for (size_t r = 0; r < kRows8; ++r) {
      const BlockCodes &row = rows[r];
      size_t group = how.scales == Arrangement::PerBlock ? first / kColumns : first / 16 + half;
      auto scale = static_cast<uint8_t>(row.scales[group]);
      if (how.scales == Arrangement::PerHalf)
        *out++ = scale;
      else if (how.scales == Arrangement::PerHalfWithMinima)
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
void arrangeGroup(const Arrangement &how, const uint8_t *rows, size_t rowStride, size_t numRows,
                  const FormatInfo &info, uint8_t *out) {
  BlockCodes block[kRows8];
  for (size_t offset = 0; offset < rowStride; offset += info.blockBytes) {
    for (size_t r = 0; r < numRows; ++r)
      info.unpack(rows + offset + r * rowStride, block[r]);
    for (size_t word = 0; word < how.words; ++word)
      for (size_t r = 0; r < kRows8; ++r, out += 2)
        storeWord(out, word == 0 ? block[r].d : block[r].m);
    for (size_t first = 0; first < info.blockElements; first += kColumns)
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

PackGroupFn packGroupFn(const Arrangement &how) {
  if (how.words == 2)
    return packGroup<2, 4>;
  if (how.words == 1)
    return packGroup<1, 4>;
  return how.piece == 4 ? packGroup<0, 4> : packGroup<0, 2>;
}

/// Bytes of one of eight rows in Rows8; 0 if there is no such form.
size_t rows8Bytes(Format format, int64_t k) {
  std::optional<Arrangement> how = rows8Arrangement(format);
  size_t perRow = rowBytes(format, k);
  if (!how || perRow == 0 || how->piece)
    return how ? perRow : 0;
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

bool qrt::hasLayout(Format format, Layout layout) {
  return layout == Layout::Plain || rows8Arrangement(format).has_value();
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
  const Arrangement how = *rows8Arrangement(format);
  const FormatInfo &info = formatInfo(format);
  const size_t packedStride = rows8Bytes(format, k);
  uint8_t *out = packed + static_cast<size_t>(firstRow) * packedStride;
  for (int64_t row = 0; row < n; row += kRows8, out += kRows8 * packedStride) {
    const uint8_t *rows = canonicalRows + static_cast<size_t>(row) * stride;
    const size_t here = static_cast<size_t>(std::min(kRows8, n - row));
    if (how.piece)
      packGroupFn(how)(rows, stride, here, info.blockBytes, out);
    else
      arrangeGroup(how, rows, stride, here, info, out);
  }
  return true;
}
