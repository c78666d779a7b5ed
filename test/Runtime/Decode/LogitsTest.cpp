//===- LogitsTest.cpp - judging final logits ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Logits.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace qrt;

namespace {

TEST(Logits, LogSumExp) {
  EXPECT_NEAR(logSumExp({0.0f, 0.0f}), std::log(2.0), 1e-15);
  EXPECT_NEAR(logSumExp({1.0f, 2.0f, 3.0f}), 3.40760596444438, 1e-13);
  EXPECT_DOUBLE_EQ(logSumExp({5.0f}), 5.0);
}

TEST(Logits, LargeAndSmallNumbersDoNotOverflow) {
  EXPECT_NEAR(logSumExp({3e38f, 3e38f}), static_cast<double>(3e38f), 1e23);
  EXPECT_NEAR(logSumExp({-1e30f, -1e30f}), static_cast<double>(-1e30f), 1e15);
  EXPECT_NEAR(logSumExp({1000.0f, 0.0f}), 1000.0, 1e-12);
  EXPECT_DOUBLE_EQ(logSumExp({1.0f, -std::numeric_limits<float>::infinity()}), 1.0);
}

TEST(Logits, WhatIsNoNumberStaysNone) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(logSumExp({1.0f, infinity})));
  EXPECT_TRUE(std::isnan(logSumExp({1.0f, std::nanf("")})));
  EXPECT_TRUE(std::isnan(logSumExp({std::nanf(""), 1.0f})));
}

TEST(Logits, ProbabilitiesAddUpToOne) {
  const std::vector<float> logits = {0.5f, -2.0f, 7.25f, 7.0f, 0.0f};
  double sum = 0;
  for (int32_t id = 0; id < 5; ++id)
    sum += std::exp(-negativeLogLikelihood(logits, id));
  EXPECT_NEAR(sum, 1.0, 1e-14);
}

TEST(Logits, Top) {
  using Pairs = std::vector<std::pair<int32_t, float>>;
  EXPECT_EQ(topLogits({1.0f, 3.0f, 2.0f, 3.0f}, 3), Pairs({{1, 3.0f}, {3, 3.0f}, {2, 2.0f}}));
  EXPECT_EQ(topLogits({1.0f}, 5), Pairs({{0, 1.0f}}));
  EXPECT_TRUE(topLogits({1.0f}, 0).empty());
}

TEST(Logits, TopWithoutNumbers) {
  // Every place that NaN can have among some numbers, and several of them.
  const std::vector<float> numbers = {1.0f, -std::numeric_limits<float>::infinity(), 3.0f, 2.0f};
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::vector<float> logits;
    for (size_t i = 0; i < 8; ++i)
      logits.push_back(mask >> i & 1 ? std::nanf("") : numbers[i % 4]);
    for (size_t k = 1; k <= 8; ++k) {
      auto top = topLogits(logits, k);
      ASSERT_EQ(top.size(), k);
      for (size_t i = 1; i < k; ++i) {
        const auto [a, x] = top[i - 1];
        const auto [b, y] = top[i];
        EXPECT_TRUE(x > y || (x == y && a < b) || (std::isnan(y) && (!std::isnan(x) || a < b)))
            << "mask " << mask << ", " << k << " of them, place " << i;
      }
    }
  }
}

} // namespace
