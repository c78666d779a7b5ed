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

#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace qrt;

namespace {

/// Number (row, k) of a Rows8 tensor with K columns.
float packedNumber(Format format, const std::vector<uint8_t> &packed, int64_t K, int64_t row,
                   int64_t k) {
  int64_t g = row / 8, r = row % 8, b = k / 32, i, kk;
  switch (format) {
  case Format::Q4_1: {
    const uint8_t *block = &packed[static_cast<size_t>((g * (K / 32) + b) * 160)];
    float d = halfToFloat(loadWord(block + 2 * r));
    float m = halfToFloat(loadWord(block + 16 + 2 * r));
    bool high = k % 32 >= 16;
    i = k % 16 / 4, kk = k % 4;
    uint8_t byte = block[32 + 32 * i + 4 * r + kk];
    float product = d * static_cast<float>(high ? byte >> 4 : byte & 0xf);
    return product + m;
  }
  case Format::Q8_0: {
    const uint8_t *block = &packed[static_cast<size_t>((g * (K / 32) + b) * 272)];
    i = k % 32 / 4, kk = k % 4;
    int8_t code = static_cast<int8_t>(block[16 + 32 * i + 4 * r + kk]);
    return static_cast<float>(code) * halfToFloat(loadWord(block + 2 * r));
  }
  case Format::F32: {
    float value;
    std::memcpy(&value, &packed[static_cast<size_t>(((g * K + k) * 8 + r) * 4)], 4);
    return value;
  }
  default: {
    uint16_t word = loadWord(&packed[static_cast<size_t>(((g * K + k) * 8 + r) * 2)]);
    return format == Format::F16 ? halfToFloat(word) : bfloatToFloat(word);
  }
  }
}

std::vector<uint8_t> randomRows(Format format, int64_t n, int64_t k, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(n * k));
  for (float &value : values)
    value = normal(random);
  std::vector<uint8_t> rows(static_cast<size_t>(n) * rowBytes(format, k));
  EXPECT_TRUE(encodeRow(format, values.data(), rows.data(), n * k));
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

class Rows8 : public ::testing::TestWithParam<Format> {};

TEST_P(Rows8, HoldsTheSameNumbers) {
  for (int64_t n : {1, 7, 8, 9, 24}) {
    int64_t k = 96;
    std::vector<uint8_t> rows = randomRows(GetParam(), n, k, 3);
    std::vector<uint8_t> packed(packedBytes(GetParam(), Layout::Rows8, n, k), 0xcc);
    ASSERT_EQ(packed.size(), static_cast<size_t>((n + 7) / 8 * 8) * rowBytes(GetParam(), k));
    ASSERT_TRUE(pack(GetParam(), Layout::Rows8, rows.data(), n, k, packed.data()));
    expectRows(GetParam(), packed, 0, rows, n, k);
    for (int64_t row = n; row < (n + 7) / 8 * 8; ++row)
      for (int64_t j = 0; j < k; ++j)
        ASSERT_EQ(packedNumber(GetParam(), packed, k, row, j), 0.0f) << "padding row " << row;
  }
}

TEST_P(Rows8, TensorsStackAtTheirFirstRow) {
  int64_t k = 64, first = 16, second = 8, third = 5;
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
  int64_t n = 9, k = 32;
  std::vector<uint8_t> rows = randomRows(GetParam(), n, k, 5);
  size_t bytes = packedBytes(GetParam(), Layout::Rows8, n, k);
  std::vector<uint8_t> packed(bytes + 64, 0xa5);
  ASSERT_TRUE(pack(GetParam(), Layout::Rows8, rows.data(), n, k, packed.data()));
  for (size_t i = bytes; i < packed.size(); ++i)
    ASSERT_EQ(packed[i], 0xa5) << i;
}

TEST_P(Rows8, FirstRowMustStartAGroup) {
  std::vector<uint8_t> rows = randomRows(GetParam(), 8, 32, 5);
  std::vector<uint8_t> packed(packedBytes(GetParam(), Layout::Rows8, 16, 32), 0xa5);
  EXPECT_FALSE(pack(GetParam(), Layout::Rows8, rows.data(), 8, 32, packed.data(), 4));
  EXPECT_FALSE(pack(GetParam(), Layout::Rows8, rows.data(), 8, 32, packed.data(), -8));
  EXPECT_EQ(packed, std::vector<uint8_t>(packed.size(), 0xa5));
}

INSTANTIATE_TEST_SUITE_P(Packing, Rows8,
                         ::testing::Values(Format::F32, Format::F16, Format::BF16, Format::Q4_1,
                                           Format::Q8_0),
                         [](const auto &info) { return std::string(formatName(info.param)); });

TEST(Packing, BlocksHaveTheDocumentedSizes) {
  EXPECT_EQ(packedBytes(Format::Q4_1, Layout::Rows8, 8, 32), 160u);
  EXPECT_EQ(packedBytes(Format::Q8_0, Layout::Rows8, 8, 32), 272u);
  EXPECT_EQ(packedBytes(Format::F16, Layout::Rows8, 1, 3), 48u);
}

TEST(Packing, PlainKeepsTheBytesOfEveryFormat) {
  for (size_t i = 0; i < kNumFormats; ++i) {
    Format format = static_cast<Format>(i);
    ASSERT_TRUE(hasLayout(format, Layout::Plain));
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
  EXPECT_FALSE(hasLayout(Format::Q4_K, Layout::Rows8));
  EXPECT_EQ(packedBytes(Format::Q4_K, Layout::Rows8, 8, 256), 0u);
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
