//===- KeyedRandomTest.cpp - random numbers without state -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/KeyedRandom.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <vector>

using namespace qrt;

namespace {

// The known answers that the authors of Philox publish (kat_vectors of Random123).
TEST(KeyedRandom, PhiloxGivesItsKnownAnswers) {
  using Block = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(KeyedRandom, EveryBitOfSeedAndPositionCounts) {
  const double base = uniformDraw(0, 0, DrawPurpose::Token);
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_NE(uniformDraw(uint64_t(1) << bit, 0, DrawPurpose::Token), base) << bit;
    EXPECT_NE(uniformDraw(0, uint64_t(1) << bit, DrawPurpose::Token), base) << bit;
  }
  EXPECT_NE(uniformDraw(0, 0, static_cast<DrawPurpose>(1)), base);
}

/// χ² of pairs of successive draws in 10 × 10 cells, as standard deviations from its mean.
double deviationOfPairs(const std::function<double(uint64_t)> &draw) {
  constexpr int kPairs = 100000, kSide = 10;
  std::vector<double> seen(kSide * kSide);
  for (int i = 0; i < kPairs; ++i) {
    const double x = draw(uint64_t(2) * i), y = draw(uint64_t(2) * i + 1);
    EXPECT_TRUE(x >= 0 && x < 1 && y >= 0 && y < 1);
    ++seen[size_t(int(x * kSide) * kSide + int(y * kSide))];
  }
  const double expected = double(kPairs) / kSide / kSide;
  double statistic = 0;
  for (double count : seen)
    statistic += (count - expected) * (count - expected) / expected;
  const double freedom = kSide * kSide - 1;
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

TEST(KeyedRandom, IsUniformAlongPositionsAndAlongSeeds) {
  EXPECT_LT(
      std::abs(deviationOfPairs([](uint64_t i) { return uniformDraw(7, i, DrawPurpose::Token); })),
      4);
  EXPECT_LT(
      std::abs(deviationOfPairs([](uint64_t i) { return uniformDraw(i, 7, DrawPurpose::Token); })),
      4);
  EXPECT_LT(std::abs(deviationOfPairs(
                [](uint64_t i) { return uniformDraw(i / 2, i % 2, DrawPurpose::Token); })),
            4);
  // The test can tell: the same number twice.
  EXPECT_GT(deviationOfPairs([](uint64_t i) { return uniformDraw(7, i / 2, DrawPurpose::Token); }),
            1000);
}

} // namespace
