//===- Float16Test.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace qrt;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The value of a finite half by its definition.
double valueOfHalf(uint16_t half) {
  int exponent = (half >> 10) & 0x1f, mantissa = half & 0x3ff;
  double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

TEST(Float16, EveryHalfWidensExactlyAndComesBack) {
  for (uint32_t i = 0; i <= 0xffff; ++i) {
    uint16_t half = static_cast<uint16_t>(i);
    float wide = halfToFloat(half);
    if (((half >> 10) & 0x1f) == 0x1f && (half & 0x3ff)) {
      EXPECT_TRUE(std::isnan(wide)) << half;
      EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(wide)))) << half;
      continue;
    }
    if ((half & 0x7fff) != 0x7c00) {
      EXPECT_EQ(static_cast<double>(wide), valueOfHalf(half)) << half;
      EXPECT_EQ(std::signbit(wide), (half & 0x8000) != 0) << half;
    }
    EXPECT_EQ(floatToHalf(wide), half);
  }
}

TEST(Float16, NarrowingRoundsToNearestTiesToEven) {
  // Every pair of neighbours: the middle goes to the even one, its neighbours do not tie.
  for (uint16_t low = 0; low < 0x7bff; ++low) {
    uint16_t high = low + 1;
    float middle = static_cast<float>((valueOfHalf(low) + valueOfHalf(high)) / 2);
    EXPECT_EQ(floatToHalf(middle), low & 1 ? high : low) << low;
    EXPECT_EQ(floatToHalf(std::nextafter(middle, 0.0f)), low) << low;
    EXPECT_EQ(floatToHalf(std::nextafter(middle, kInfinity)), high) << low;
    EXPECT_EQ(floatToHalf(-middle), 0x8000 | (low & 1 ? high : low)) << low;
  }
}

TEST(Float16, NarrowingOverflowsToInfinity) {
  EXPECT_EQ(floatToHalf(65504.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(-1e30f), 0xfc00);
  EXPECT_EQ(floatToHalf(kInfinity), 0x7c00);
}

TEST(Float16, NarrowingUnderflowsToSignedZero) {
  EXPECT_EQ(floatToHalf(std::ldexp(1.0f, -25)), 0x0000); // tie with zero, which is even
  EXPECT_EQ(floatToHalf(std::nextafter(std::ldexp(1.0f, -25), 1.0f)), 0x0001);
  EXPECT_EQ(floatToHalf(-std::numeric_limits<float>::denorm_min()), 0x8000);
}

TEST(Float16, BfloatRoundsToNearestTiesToEven) {
  EXPECT_EQ(floatToBfloat(1.0f), 0x3f80);
  EXPECT_EQ(floatToBfloat(floatOf(0x3f808000)), 0x3f80); // tie, even below
  EXPECT_EQ(floatToBfloat(floatOf(0x3f818000)), 0x3f82); // tie, even above
  EXPECT_EQ(floatToBfloat(floatOf(0x3f808001)), 0x3f81);
  EXPECT_EQ(floatToBfloat(floatOf(0x7f7fffff)), 0x7f80); // carries into infinity
  EXPECT_EQ(floatToBfloat(-kInfinity), 0xff80);
  // A NaN whose set bits are all cut off stays one.
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(floatOf(0x7f800001)))));
}

TEST(Float16, EveryBfloatComesBack) {
  for (uint32_t i = 0; i <= 0xffff; ++i) {
    float wide = bfloatToFloat(static_cast<uint16_t>(i));
    if (!std::isnan(wide)) {
      EXPECT_EQ(floatToBfloat(wide), i);
    }
  }
}

} // namespace
