//===- FormatTest.cpp - the table and its lookups -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace qrt;

namespace {

TEST(Format, LookupsAgreeWithTheTable) {
  for (size_t i = 0; i < kNumFormats; ++i) {
    Format format = static_cast<Format>(i);
    const FormatInfo &info = formatInfo(format);
    EXPECT_EQ(info.format, format);
    EXPECT_EQ(formatByName(info.name), format);
    EXPECT_EQ(formatByGgmlType(info.ggmlType), format);
    EXPECT_EQ(ggmlTypeName(info.ggmlType), info.name);
    EXPECT_NE(info.decode, nullptr);
    EXPECT_NE(supportedFormatNames().find(info.name), std::string::npos);
  }
}

TEST(Format, UnknownNamesAndNumbersGiveNothing) {
  EXPECT_EQ(formatByName("Q4_2"), std::nullopt);
  EXPECT_EQ(formatByName("q4_1"), std::nullopt);
  EXPECT_EQ(formatByName(""), std::nullopt);
  EXPECT_EQ(formatByGgmlType(20), std::nullopt);
  EXPECT_EQ(formatByGgmlType(0xffffffff), std::nullopt);
  EXPECT_EQ(ggmlTypeName(20), "IQ4_NL"); // defined by GGUF, not supported
  EXPECT_EQ(ggmlTypeName(4), "");
}

TEST(Format, RowBytesCountsBlocks) {
  EXPECT_EQ(rowBytes(Format::F32, 3), 12u);
  EXPECT_EQ(rowBytes(Format::BF16, 5), 10u);
  EXPECT_EQ(rowBytes(Format::Q4_1, 576), 360u);
  EXPECT_EQ(rowBytes(Format::Q8_0, 32), 34u);
  EXPECT_EQ(rowBytes(Format::Q6_K, 512), 420u);
}

TEST(Format, RowBytesRefusesWhatIsNoRow) {
  EXPECT_EQ(rowBytes(Format::F32, 0), 0u);
  EXPECT_EQ(rowBytes(Format::F32, -4), 0u);
  EXPECT_EQ(rowBytes(Format::Q4_1, 31), 0u);
  EXPECT_EQ(rowBytes(Format::Q4_K, 32), 0u);
  EXPECT_EQ(rowBytes(Format::F32, std::numeric_limits<int64_t>::max()), 0u);
}

TEST(Format, RowsThatAreNoWholeBlocksAreLeftAlone) {
  uint8_t bytes[64] = {};
  float values[64];
  std::fill_n(values, 64, 7.0f);
  EXPECT_FALSE(decodeRow(Format::Q8_0, bytes, values, 33));
  EXPECT_FALSE(decodeRow(Format::Q8_0, bytes, values, 0));
  EXPECT_EQ(values[0], 7.0f);
  EXPECT_FALSE(encodeRow(Format::Q8_0, values, bytes, 31));
  EXPECT_EQ(bytes[2], 0);
}

TEST(Format, SuperBlocksHaveNoEncoder) {
  std::vector<float> values(256, 1.0f);
  std::vector<uint8_t> bytes(256, 0xab);
  EXPECT_FALSE(encodeRow(Format::Q4_K, values.data(), bytes.data(), 256));
  EXPECT_EQ(bytes[0], 0xab);
}

TEST(Format, FloatsSurviveAtAnyAddress) {
  const float values[] = {1.5f, -0.0f, 3e-41f, 65504.0f};
  for (Format format : {Format::F32, Format::F16, Format::BF16}) {
    std::vector<uint8_t> buffer(1 + sizeof(values));
    float back[4];
    ASSERT_TRUE(encodeRow(format, values, buffer.data() + 1, 4));
    ASSERT_TRUE(decodeRow(format, buffer.data() + 1, back, 4));
    EXPECT_EQ(back[0], 1.5f);
    EXPECT_TRUE(std::signbit(back[1]));
    if (format == Format::F32) {
      EXPECT_EQ(std::memcmp(values, back, sizeof(values)), 0);
    }
  }
}

} // namespace
