//===- PackingTest.cpp - layouts against their description ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A second decoder, written from the index formulas in Packing.h, reads packed tensors;
// its numbers must be those of the canonical rows, bit for bit.
//
// Semantics: WEIGHT-2
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Packing.h"
#include "quench-rt/Formats/Float16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace qrt;

namespace {

/// What Packing.h says of a block format.
struct Form {
  bool minima;                 ///< a second word
  bool groups;                 ///< a super-block with scales
  std::vector<int64_t> planes; ///< bits
  int offset;                  ///< subtracted from a code
};

Form formOf(Format format) {
  switch (format) {
  case Format::Q4_0:
    return {false, false, {4}, 8};
  case Format::Q4_1:
    return {true, false, {4}, 0};
  case Format::Q5_0:
    return {false, false, {4, 1}, 16};
  case Format::Q5_1:
    return {true, false, {4, 1}, 0};
  case Format::Q2_K:
    return {true, true, {2}, 0};
  case Format::Q3_K:
    return {false, true, {2, 1}, 4};
  case Format::Q4_K:
    return {true, true, {4}, 0};
  case Format::Q5_K:
    return {true, true, {4, 1}, 0};
  case Format::Q6_K:
    return {false, true, {4, 2}, 32};
  default:
    return {false, false, {8}, 0};
  }
}

/// Number (row, k) of a block format.
float numberOfBlock(Format format, const std::vector<uint8_t> &packed, int64_t K, int64_t row,
                    int64_t k) {
  const Form form = formOf(format);
  const int64_t r = row % 8, column = k % 32, i = column / 4, kk = column % 4;
  const int64_t width = form.groups ? 256 : 32, header = form.minima ? 32 : 16;
  int64_t bits = 0;
  for (int64_t plane : form.planes)
    bits += plane;
  const int64_t part = (form.groups ? 16 : 0) + 32 * bits, bytes = header + width / 32 * part;
  const uint8_t *block = &packed[static_cast<size_t>((row / 8 * (K / width) + k / width) * bytes)];
  const uint8_t *at = block + header + k % width / 32 * part;

  float d = halfToFloat(loadWord(block + 2 * r));
  float m = form.minima ? halfToFloat(loadWord(block + 16 + 2 * r)) : 0.0f;
  if (format == Format::Q4_K || format == Format::Q5_K) {
    d *= static_cast<float>(at[r]);
    m *= static_cast<float>(at[8 + r]);
  } else if (format == Format::Q2_K) {
    d *= static_cast<float>(at[column / 16 * 8 + r] & 15);
    m *= static_cast<float>(at[column / 16 * 8 + r] >> 4);
  } else if (form.groups) {
    d *= static_cast<float>(static_cast<int8_t>(at[column / 16 * 8 + r]));
  }
  const uint8_t *plane = at + (form.groups ? 16 : 0);
  int code = 0;
  int64_t low = 0;
  for (int64_t b : form.planes) {
    int field = plane[32 * (i % b) + 4 * r + kk] >> (b * (i / b)) & ((1 << b) - 1);
    code |= field << low;
    plane += 32 * b;
    low += b;
  }
  if (format == Format::Q8_0)
    code = static_cast<int8_t>(code);
  float product = d * static_cast<float>(code - form.offset);
  if (!form.minima)
    return product;
  return form.groups ? product - m : product + m;
}

/// Number (row, k) of a Rows8 tensor with K columns.
float packedNumber(Format format, const std::vector<uint8_t> &packed, int64_t K, int64_t row,
                   int64_t k) {
  if (formatInfo(format).blockElements > 1)
    return numberOfBlock(format, packed, K, row, k);
  size_t at = static_cast<size_t>((row / 8 * K + k) * 8 + row % 8);
  if (format == Format::F32) {
    float value;
    std::memcpy(&value, &packed[4 * at], 4);
    return value;
  }
  uint16_t word = loadWord(&packed[2 * at]);
  return format == Format::F16 ? halfToFloat(word) : bfloatToFloat(word);
}

std::vector<uint8_t> randomRows(Format format, int64_t n, int64_t k, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(n * k));
  for (float &value : values)
    value = normal(random);
  std::vector<uint8_t> rows(static_cast<size_t>(n) * rowBytes(format, k));
  if (formatInfo(format).encode) {
    EXPECT_TRUE(encodeRow(format, values.data(), rows.data(), n * k));
    return rows;
  }
  // Random codes and scales; the words are small numbers.
  for (uint8_t &byte : rows)
    byte = static_cast<uint8_t>(random());
  const FormatInfo &info = formatInfo(format);
  const size_t word = format == Format::Q2_K   ? 80
                      : format == Format::Q3_K ? 108
                      : format == Format::Q6_K ? 208
                                               : 0;
  for (size_t at = 0; at < rows.size(); at += info.blockBytes) {
    storeWord(&rows[at + word], floatToHalf(values[at % values.size()]));
    if (formOf(format).minima)
      storeWord(&rows[at + word + 2], floatToHalf(values[(at + 1) % values.size()]));
  }
  return rows;
}

void expectRows(Format format, const std::vector<uint8_t> &packed, int64_t firstRow,
                const std::vector<uint8_t> &rows, int64_t n, int64_t k) {
  std::vector<float> row(static_cast<size_t>(k));
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_TRUE(
        decodeRow(format, &rows[static_cast<size_t>(i) * rowBytes(format, k)], row.data(), k));
    for (int64_t j = 0; j < k; ++j)
      ASSERT_EQ(packedNumber(format, packed, k, firstRow + i, j), row[static_cast<size_t>(j)])
          << "row " << i << ", column " << j;
  }
}

class Rows8 : public ::testing::TestWithParam<Format> {
protected:
  /// `blocks` of 32 columns, or of a format's super-blocks.
  int64_t columns(int64_t blocks) const {
    return blocks * std::max<int64_t>(32, formatInfo(GetParam()).blockElements);
  }
};

TEST_P(Rows8, HoldsTheSameNumbers) {
  for (int64_t n : {1, 7, 8, 9, 24}) {
    int64_t k = columns(3);
    std::vector<uint8_t> rows = randomRows(GetParam(), n, k, 3);
    std::vector<uint8_t> packed(packedBytes(GetParam(), Layout::Rows8, n, k), 0xcc);
    ASSERT_EQ(packed.size() % static_cast<size_t>((n + 7) / 8), 0u);
    ASSERT_TRUE(pack(GetParam(), Layout::Rows8, rows.data(), n, k, packed.data()));
    expectRows(GetParam(), packed, 0, rows, n, k);
    for (int64_t row = n; row < (n + 7) / 8 * 8; ++row)
      for (int64_t j = 0; j < k; ++j)
        ASSERT_EQ(packedNumber(GetParam(), packed, k, row, j), 0.0f) << "padding row " << row;
  }
}

TEST_P(Rows8, PiecesLieAtTheirFirstRow) {
  int64_t k = columns(2), first = 16, second = 8, third = 5;
  std::vector<uint8_t> a = randomRows(GetParam(), first, k, 1);
  std::vector<uint8_t> b = randomRows(GetParam(), second, k, 2);
  std::vector<uint8_t> c = randomRows(GetParam(), third, k, 3);
  int64_t all = first + second + third;
  std::vector<uint8_t> packed(packedBytes(GetParam(), Layout::Rows8, all, k));
  // In any order: each call writes its own rows only.
  ASSERT_TRUE(pack(GetParam(), Layout::Rows8, c.data(), third, k, packed.data(), first + second));
  ASSERT_TRUE(pack(GetParam(), Layout::Rows8, a.data(), first, k, packed.data(), 0));
  ASSERT_TRUE(pack(GetParam(), Layout::Rows8, b.data(), second, k, packed.data(), first));
  expectRows(GetParam(), packed, 0, a, first, k);
  expectRows(GetParam(), packed, first, b, second, k);
  expectRows(GetParam(), packed, first + second, c, third, k);
}

TEST_P(Rows8, WritesNothingOutsideItsBytes) {
  int64_t n = 9, k = columns(1);
  std::vector<uint8_t> rows = randomRows(GetParam(), n, k, 5);
  size_t bytes = packedBytes(GetParam(), Layout::Rows8, n, k);
  std::vector<uint8_t> packed(bytes + 64, 0xa5);
  ASSERT_TRUE(pack(GetParam(), Layout::Rows8, rows.data(), n, k, packed.data()));
  for (size_t i = bytes; i < packed.size(); ++i)
    ASSERT_EQ(packed[i], 0xa5) << i;
}

TEST_P(Rows8, FirstRowMustStartAGroup) {
  std::vector<uint8_t> rows = randomRows(GetParam(), 8, columns(1), 5);
  std::vector<uint8_t> packed(packedBytes(GetParam(), Layout::Rows8, 16, columns(1)), 0xa5);
  EXPECT_FALSE(pack(GetParam(), Layout::Rows8, rows.data(), 8, columns(1), packed.data(), 4));
  EXPECT_FALSE(pack(GetParam(), Layout::Rows8, rows.data(), 8, columns(1), packed.data(), -8));
  EXPECT_EQ(packed, std::vector<uint8_t>(packed.size(), 0xa5));
}

INSTANTIATE_TEST_SUITE_P(Packing, Rows8, ::testing::ValuesIn([] {
                           std::vector<Format> all;
                           for (size_t i = 0; i < kNumFormats; ++i)
                             all.push_back(static_cast<Format>(i));
                           return all;
                         }()),
                         [](const auto &info) { return std::string(formatName(info.param)); });

TEST(Packing, BlocksHaveTheDocumentedSizes) {
  EXPECT_EQ(packedBytes(Format::Q4_1, Layout::Rows8, 8, 32), 160u);
  EXPECT_EQ(packedBytes(Format::Q8_0, Layout::Rows8, 8, 32), 272u);
  EXPECT_EQ(packedBytes(Format::F16, Layout::Rows8, 1, 3), 48u);
  EXPECT_EQ(packedBytes(Format::Q5_0, Layout::Rows8, 8, 32), 176u);
  EXPECT_EQ(packedBytes(Format::Q2_K, Layout::Rows8, 8, 256), 672u);
  EXPECT_EQ(packedBytes(Format::Q3_K, Layout::Rows8, 8, 256), 912u);
  EXPECT_EQ(packedBytes(Format::Q4_K, Layout::Rows8, 8, 256), 1184u);
  EXPECT_EQ(packedBytes(Format::Q5_K, Layout::Rows8, 8, 256), 1440u);
  EXPECT_EQ(packedBytes(Format::Q6_K, Layout::Rows8, 8, 256), 1680u);
}

TEST(Packing, PlainKeepsTheBytesOfEveryFormat) {
  for (size_t i = 0; i < kNumFormats; ++i) {
    Format format = static_cast<Format>(i);
    int64_t k = formatInfo(format).blockElements * 2, n = 3;
    std::vector<uint8_t> rows(static_cast<size_t>(n) * rowBytes(format, k));
    for (size_t j = 0; j < rows.size(); ++j)
      rows[j] = static_cast<uint8_t>(j * 37);
    ASSERT_EQ(packedBytes(format, Layout::Plain, n, k), rows.size());
    std::vector<uint8_t> packed(2 * rows.size());
    ASSERT_TRUE(pack(format, Layout::Plain, rows.data(), n, k, packed.data(), n));
    EXPECT_TRUE(std::equal(rows.begin(), rows.end(), packed.begin() + rows.size()));
    EXPECT_EQ(packed[0], 0);
  }
}

TEST(Packing, UnsupportedPairsAndShapesGiveZero) {
  EXPECT_EQ(packedBytes(Format::Q4_K, Layout::Rows8, 8, 128), 0u);
  EXPECT_EQ(packedBytes(Format::Q4_1, Layout::Rows8, 0, 32), 0u);
  EXPECT_EQ(packedBytes(Format::Q4_1, Layout::Rows8, 8, 33), 0u);
  EXPECT_EQ(packedBytes(Format::F32, Layout::Rows8, std::numeric_limits<int64_t>::max(), 1 << 20),
            0u);
  EXPECT_EQ(packedBytes(Format::F32, Layout::Plain, std::numeric_limits<int64_t>::max(), 1 << 20),
            0u);
}

TEST(Packing, LayoutsHaveNames) {
  EXPECT_EQ(layoutByName("plain"), Layout::Plain);
  EXPECT_EQ(layoutByName("rows8"), Layout::Rows8);
  EXPECT_EQ(layoutByName("rows9"), std::nullopt);
  EXPECT_EQ(layoutName(Layout::Rows8), "rows8");
}

} // namespace
