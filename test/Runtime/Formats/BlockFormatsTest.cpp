//===- BlockFormatsTest.cpp - blocks made by hand -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Small blocks whose numbers follow from the definition by eye; the comparison with the
// public decoders on random blocks is check_against_gguf.py.
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Float16.h"
#include "quench-rt/Formats/Format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace qrt;

namespace {

std::vector<float> decoded(Format format, const std::vector<uint8_t> &block) {
  const FormatInfo &info = formatInfo(format);
  EXPECT_EQ(block.size() % info.blockBytes, 0u);
  std::vector<float> values(block.size() / info.blockBytes * info.blockElements);
  EXPECT_TRUE(decodeRow(format, block.data(), values.data(), static_cast<int64_t>(values.size())));
  return values;
}

/// A block of zero bytes with words set at byte offsets.
std::vector<uint8_t> blockWith(Format format,
                               std::initializer_list<std::pair<size_t, float>> halves) {
  std::vector<uint8_t> block(formatInfo(format).blockBytes);
  for (auto [offset, value] : halves)
    storeWord(block.data() + offset, floatToHalf(value));
  return block;
}

TEST(BlockFormats, Q4_0NibblesAreCenteredOnEight) {
  std::vector<uint8_t> block = blockWith(Format::Q4_0, {{0, 0.5f}});
  block[2] = 0xf1; // numbers 0 and 16
  std::vector<float> values = decoded(Format::Q4_0, block);
  EXPECT_EQ(values[0], 0.5f * (1 - 8));
  EXPECT_EQ(values[16], 0.5f * (15 - 8));
  EXPECT_EQ(values[1], 0.5f * (0 - 8));
}

TEST(BlockFormats, Q4_1AddsTheMinimum) {
  std::vector<uint8_t> block = blockWith(Format::Q4_1, {{0, 2.0f}, {2, -3.0f}});
  block[4 + 15] = 0xa5; // numbers 15 and 31
  std::vector<float> values = decoded(Format::Q4_1, block);
  EXPECT_EQ(values[15], 2.0f * 5 - 3.0f);
  EXPECT_EQ(values[31], 2.0f * 10 - 3.0f);
  EXPECT_EQ(values[0], -3.0f);
}

TEST(BlockFormats, Q5FifthBitsAreInOrderOfTheNumbers) {
  std::vector<uint8_t> block = blockWith(Format::Q5_0, {{0, 1.0f}});
  block[2] = 0x01;      // number 0
  block[5] = 0x80;      // number 31
  block[6 + 15] = 0x30; // number 31
  std::vector<float> values = decoded(Format::Q5_0, block);
  EXPECT_EQ(values[0], 0.0f);
  EXPECT_EQ(values[1], -16.0f);
  EXPECT_EQ(values[31], 16.0f + 3.0f - 16.0f);

  block = blockWith(Format::Q5_1, {{0, 1.0f}, {2, 100.0f}});
  block[4] = 0x02; // number 1
  EXPECT_EQ(decoded(Format::Q5_1, block)[1], 116.0f);
}

TEST(BlockFormats, Q8_0CodesAreSigned) {
  std::vector<uint8_t> block = blockWith(Format::Q8_0, {{0, 0.25f}});
  block[2] = 0x80;
  block[33] = 0x7f;
  std::vector<float> values = decoded(Format::Q8_0, block);
  EXPECT_EQ(values[0], -32.0f);
  EXPECT_EQ(values[31], 31.75f);
}

TEST(BlockFormats, Q2_KHasTwoLevelsOfScales) {
  std::vector<uint8_t> block = blockWith(Format::Q2_K, {{80, 1.0f}, {82, 0.5f}});
  block[9] = 0x23;            // group 9: scale 3, minimum 2
  block[16 + 32 + 16] = 0x03; // number 144, the first of group 9
  std::vector<float> values = decoded(Format::Q2_K, block);
  EXPECT_EQ(values[144], 3.0f * 3 - 0.5f * 2);
  EXPECT_EQ(values[145], -1.0f);
  EXPECT_EQ(values[143], 0.0f);
}

TEST(BlockFormats, Q3_KClearHighBitSubtractsFour) {
  std::vector<uint8_t> block = blockWith(Format::Q3_K, {{108, 1.0f}});
  block[96] = 0x01; // group 0: 1 | 2 << 4, less 32, is 1
  block[96 + 8] = 0x02;
  block[0] = 0x01; // number 0 keeps its code
  block[32] = 0x03;
  std::vector<float> values = decoded(Format::Q3_K, block);
  EXPECT_EQ(values[0], 1.0f * 3);
  EXPECT_EQ(values[1], 1.0f * (0 - 4));
  EXPECT_EQ(values[16], -32.0f * (0 - 4)); // group 1: scale 0 − 32
}

TEST(BlockFormats, Q4_KUpperGroupsHaveSplitScales) {
  std::vector<uint8_t> block = blockWith(Format::Q4_K, {{0, 1.0f}, {2, 1.0f}});
  block[4 + 3] = 0x80;   // upper bits of group 7's scale: 2
  block[4 + 7] = 0x40;   // of its minimum: 1
  block[4 + 11] = 0x35;  // lower bits: 5, 3
  block[16 + 96] = 0x20; // numbers 192 (group 6) and 224 (group 7)
  std::vector<float> values = decoded(Format::Q4_K, block);
  EXPECT_EQ(values[224], 37.0f * 2 - 19.0f);
  EXPECT_EQ(values[225], -19.0f);
  EXPECT_EQ(values[192], 0.0f);
}

TEST(BlockFormats, Q5_KFifthBitsGoByGroup) {
  std::vector<uint8_t> block = blockWith(Format::Q5_K, {{0, 1.0f}, {2, 1.0f}});
  block[4 + 2] = 3;     // group 2: scale 3,
  block[4 + 6] = 1;     // minimum 1
  block[16 + 5] = 0x04; // fifth bit of its number 5
  std::vector<float> values = decoded(Format::Q5_K, block);
  EXPECT_EQ(values[64 + 5], 3.0f * 16 - 1.0f);
  EXPECT_EQ(values[64 + 6], -1.0f);
}

TEST(BlockFormats, Q6_KCodesAreCenteredOn32) {
  std::vector<uint8_t> block = blockWith(Format::Q6_K, {{208, 2.0f}});
  block[192 + 15] = 0xff;      // group 15: scale −1
  block[64 + 63] = 0x50;       // number 255: low nibble 5,
  block[128 + 32 + 31] = 0x80; // upper bits 2
  std::vector<float> values = decoded(Format::Q6_K, block);
  EXPECT_EQ(values[255], -2.0f * (37 - 32));
  EXPECT_EQ(values[254], -2.0f * (0 - 32));
}

TEST(BlockFormats, SubnormalScalesAreKept) {
  std::vector<uint8_t> block(34);
  storeWord(block.data(), 0x0001); // 2^-24
  block[2] = 3;
  EXPECT_EQ(decoded(Format::Q8_0, block)[0], std::ldexp(3.0f, -24));
}

class Encodable : public ::testing::TestWithParam<Format> {};

TEST_P(Encodable, ErrorIsAtMostAStepOfTheScale) {
  const FormatInfo &info = formatInfo(GetParam());
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(64 * info.blockElements), back(values.size());
  for (float &value : values)
    value = normal(random);
  std::vector<uint8_t> bytes(rowBytes(GetParam(), static_cast<int64_t>(values.size())));
  int64_t n = static_cast<int64_t>(values.size());
  ASSERT_TRUE(encodeRow(GetParam(), values.data(), bytes.data(), n));
  ASSERT_TRUE(decodeRow(GetParam(), bytes.data(), back.data(), n));
  for (size_t i = 0; i < values.size(); ++i) {
    float scale = halfToFloat(loadWord(bytes.data() + i / 32 * info.blockBytes));
    // Half a step, a whole one where the extreme's opposite was clamped, and the scale's
    // and minimum's own rounding.
    EXPECT_NEAR(back[i], values[i], std::fabs(scale) * 1.02f + 0.004f) << i;
  }
}

TEST_P(Encodable, ZerosStayZero) {
  std::vector<float> values(32, 0.0f), back(32, 1.0f);
  std::vector<uint8_t> bytes(formatInfo(GetParam()).blockBytes);
  ASSERT_TRUE(encodeRow(GetParam(), values.data(), bytes.data(), 32));
  ASSERT_TRUE(decodeRow(GetParam(), bytes.data(), back.data(), 32));
  EXPECT_EQ(back, values);
}

TEST_P(Encodable, NotANumberShowsInTheResult) {
  for (size_t where : {size_t(0), size_t(31)}) {
    std::vector<float> values(32, 1.0f), back(32);
    values[where] = std::numeric_limits<float>::quiet_NaN();
    values[5] = 3.0f;
    std::vector<uint8_t> bytes(formatInfo(GetParam()).blockBytes);
    ASSERT_TRUE(encodeRow(GetParam(), values.data(), bytes.data(), 32));
    ASSERT_TRUE(decodeRow(GetParam(), bytes.data(), back.data(), 32));
    EXPECT_TRUE(std::isnan(back[where])) << where;
  }
}

TEST_P(Encodable, InfinityShowsInTheResult) {
  std::vector<float> values(32, 1.0f), back(32);
  values[3] = -std::numeric_limits<float>::infinity();
  std::vector<uint8_t> bytes(formatInfo(GetParam()).blockBytes);
  ASSERT_TRUE(encodeRow(GetParam(), values.data(), bytes.data(), 32));
  ASSERT_TRUE(decodeRow(GetParam(), bytes.data(), back.data(), 32));
  EXPECT_FALSE(std::isfinite(back[3]));
}

INSTANTIATE_TEST_SUITE_P(BlockFormats, Encodable,
                         ::testing::Values(Format::Q4_0, Format::Q4_1, Format::Q5_0, Format::Q5_1,
                                           Format::Q8_0),
                         [](const auto &info) { return std::string(formatName(info.param)); });

} // namespace
