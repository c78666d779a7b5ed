//===- TokenFilterTest.cpp - top-k, top-p, min-p, temperature, draws ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/TokenFilter.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace qrt;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Everything off but the temperature.
SamplingOptions off() {
  SamplingOptions options;
  options.temperature = 1;
  options.topK = 0;
  options.topP = 1;
  options.minP = 0;
  return options;
}

TokenDistribution filtered(const std::vector<float> &logits, const SamplingOptions &options) {
  return TokenFilter(options).apply(logits);
}

std::vector<int32_t> kept(const std::vector<float> &logits, const SamplingOptions &options) {
  return filtered(logits, options).tokens;
}

/// By definition: sorts everything, sums in long double. Tokens that stay with their
/// probabilities.
std::vector<std::pair<int32_t, long double>> reference(const std::vector<float> &logits,
                                                       const SamplingOptions &options) {
  std::vector<std::pair<int32_t, long double>> all;
  for (size_t i = 0; i < logits.size(); ++i)
    if (logits[i] > -kInfinity)
      all.emplace_back(static_cast<int32_t>(i), logits[i]);
  std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (options.topK > 0 && size_t(options.topK) < all.size())
    all.resize(size_t(options.topK));
  const long double largest = all[0].second;
  long double total = 0;
  for (const auto &[token, logit] : all)
    total += std::exp(logit - largest);
  if (options.topP < 1) {
    long double reached = 0;
    size_t n = 0;
    while (n < all.size() && (n == 0 || reached < options.topP * total))
      reached += std::exp(all[n++].second - largest);
    all.resize(n);
  }
  while (std::exp(all.back().second - largest) < options.minP)
    all.pop_back();
  total = 0;
  for (auto &[token, value] : all)
    total += value = std::exp((value - largest) / options.temperature);
  for (auto &[token, value] : all)
    value /= total;
  std::sort(all.begin(), all.end());
  return all;
}

TEST(TokenFilter, TopK) {
  SamplingOptions options = off();
  const std::vector<float> logits = {1, 3, 2, 3, 0, 3};
  options.topK = 1;
  EXPECT_EQ(kept(logits, options), (std::vector<int32_t>{1}));
  // Of equal ones the lowest ids.
  options.topK = 2;
  EXPECT_EQ(kept(logits, options), (std::vector<int32_t>{1, 3}));
  options.topK = 4;
  EXPECT_EQ(kept(logits, options), (std::vector<int32_t>{1, 2, 3, 5}));
  for (int64_t k : {int64_t(0), int64_t(6), int64_t(7), std::numeric_limits<int64_t>::max()}) {
    options.topK = k;
    EXPECT_EQ(kept(logits, options), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
  }
}

TEST(TokenFilter, TopP) {
  SamplingOptions options = off();
  // Probabilities 1/2, 1/4, 1/8, 1/8.
  const float ln2 = std::log(2.0f);
  const std::vector<float> logits = {-2 * ln2, -3 * ln2, -ln2, -3 * ln2};
  auto count = [&](double p) {
    options.topP = p;
    return kept(logits, options).size();
  };
  EXPECT_EQ(count(0), 1u);
  EXPECT_EQ(count(0.49), 1u);
  EXPECT_EQ(count(0.51), 2u);
  EXPECT_EQ(count(0.74), 2u);
  EXPECT_EQ(count(0.76), 3u);
  EXPECT_EQ(kept(logits, options), (std::vector<int32_t>{0, 1, 2})) << "of equal ones the lowest";
  EXPECT_EQ(count(0.88), 4u);
  EXPECT_EQ(count(1), 4u);
}

TEST(TokenFilter, TopPChoosesAmongWhatTopKLeft) {
  SamplingOptions options = off();
  const float ln2 = std::log(2.0f);
  // After top-k the probabilities are 2/3 and 1/3.
  options.topK = 2;
  options.topP = 0.6;
  EXPECT_EQ(kept({-ln2, -2 * ln2, -3 * ln2, -3 * ln2}, options).size(), 1u);
  options.topK = 0;
  EXPECT_EQ(kept({-ln2, -2 * ln2, -3 * ln2, -3 * ln2}, options).size(), 2u);
}

TEST(TokenFilter, MinP) {
  SamplingOptions options = off();
  const std::vector<float> logits = {0, std::log(0.49f), std::log(0.51f), -kInfinity, 0};
  options.minP = 1;
  EXPECT_EQ(kept(logits, options), (std::vector<int32_t>{0, 4}));
  options.minP = 0.5;
  EXPECT_EQ(kept(logits, options), (std::vector<int32_t>{0, 2, 4}));
  options.minP = 0.4;
  EXPECT_EQ(kept(logits, options), (std::vector<int32_t>{0, 1, 2, 4}));
  options.minP = 0;
  EXPECT_EQ(kept(logits, options), (std::vector<int32_t>{0, 1, 2, 4}));
}

TEST(TokenFilter, ExcludedTokensAreNeverKept) {
  for (int64_t k : {0, 1, 2, 3, 4})
    for (double p : {0.0, 0.5, 0.999999, 1.0}) {
      SamplingOptions options = off();
      options.topK = k;
      options.topP = p;
      EXPECT_EQ(kept({-kInfinity, 7, -kInfinity, -kInfinity}, options), (std::vector<int32_t>{1}));
    }
}

TEST(TokenFilter, TheTemperatureComesLast) {
  SamplingOptions options = off();
  options.topP = 0.7;
  options.temperature = 100; // before top-p it would make all tokens equally likely
  EXPECT_EQ(kept({3, 2, 1, 0}, options), (std::vector<int32_t>{0, 1}));
  options.temperature = 2;
  const TokenDistribution two = filtered({3, 2, 1, 0}, options);
  EXPECT_NEAR(two.weights[1], std::exp(-0.5), 1e-15);
  EXPECT_DOUBLE_EQ(two.total, 1 + two.weights[1]);
}

TEST(TokenFilter, ExtremeTemperatures) {
  SamplingOptions options = off();
  const std::vector<float> logits = {-3e38f, 3e38f, 0, 2.9e38f};
  options.temperature = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(filtered(logits, options).draw(0.999999), 1);
  options.temperature = 3e38;
  const TokenDistribution flat = filtered({1, 2, 3, 4}, options);
  for (double weight : flat.weights)
    EXPECT_DOUBLE_EQ(weight, 1);
}

TEST(TokenFilter, AgreesWithTheDefinition) {
  std::mt19937 random(3);
  auto choose = [&](std::initializer_list<double> from) {
    return from.begin()[random() % from.size()];
  };
  for (int trial = 0; trial < 400; ++trial) {
    SamplingOptions options = off();
    options.topK = static_cast<int64_t>(choose({0, 1, 3, 40, 700, 100000}));
    options.topP = choose({0, 0.1234, 0.777, 0.95, 0.99913, 1, 1});
    options.minP = choose({0, 0, 1e-9, 0.0517, 0.9, 1});
    options.temperature = choose({0.1, 0.7, 1, 1.9});
    std::vector<float> logits(static_cast<size_t>(choose({1, 2, 31, 257, 1025, 9000, 20000})));
    // From nearly flat, where top-p has to look far, to one token alone; some of them with
    // few different values, so that there are many equal ones, and some excluded.
    const double spread = choose({1e-3, 1, 4, 30});
    const bool coarse = random() % 3 == 0;
    const double offset = choose({0, 0, -50, 1e5});
    std::normal_distribution<double> normal(0, spread);
    for (float &logit : logits) {
      logit = static_cast<float>(offset + (coarse ? std::round(normal(random)) : normal(random)));
      if (random() % 50 == 0)
        logit = -kInfinity;
    }
    logits[random() % logits.size()] = static_cast<float>(offset + 0.5);
    SCOPED_TRACE(testing::Message()
                 << "trial " << trial << ": " << logits.size() << " tokens, k " << options.topK
                 << ", p " << options.topP << ", min-p " << options.minP << ", spread " << spread);
    const auto expected = reference(logits, options);
    const TokenDistribution found = filtered(logits, options);
    ASSERT_EQ(found.tokens.size(), expected.size());
    ASSERT_DOUBLE_EQ(std::accumulate(found.weights.begin(), found.weights.end(), 0.0), found.total);
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found.tokens[i], expected[i].first);
      const auto probability = static_cast<double>(expected[i].second);
      // A sum of n numbers is off by n half units in the last place at most, and exp
      // multiplies the relative error of its argument by that.
      const double halfUnits =
          8 + static_cast<double>(expected.size()) - 2 * std::log(probability + 1e-300);
      ASSERT_NEAR(found.weights[i] / found.total, probability,
                  probability * halfUnits * 0x1p-53 + 1e-300);
    }
  }
}

TEST(TokenFilter, ADrawFallsWhereTheProbabilityIs) {
  const TokenDistribution distribution = {{3, 5, 8, 9}, {0.5, 0, 1, 0}, 1.5};
  EXPECT_EQ(distribution.draw(0), 3);
  EXPECT_EQ(distribution.draw(0.333), 3);
  EXPECT_EQ(distribution.draw(0.334), 8);
  EXPECT_EQ(distribution.draw(1 - 0x1p-53), 8) << "the last has no probability";
  EXPECT_EQ((TokenDistribution{{3, 5}, {0, 1}, 1}).draw(0), 5);
}

} // namespace
