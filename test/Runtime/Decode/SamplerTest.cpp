//===- SamplerTest.cpp - chooses the token that follows a sequence --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Exponential.h"

#include "quench-rt/Decode/Logits.h"
#include "quench-rt/Decode/Sampler.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace qrt;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

absl::StatusOr<SampledToken> sample(const SamplingOptions &options,
                                    const std::vector<float> &logits,
                                    const std::vector<int32_t> &text = {0}) {
  Sampler sampler(options);
  sampler.begin(text);
  return sampler.sample(logits);
}

SamplingOptions at(double temperature) {
  SamplingOptions options;
  options.temperature = temperature;
  return options;
}

TEST(Sampler, GreedyTakesTheLowestOfEqualOnes) {
  EXPECT_EQ(sample(at(0), {1, 3, 3, 2})->id, 1);
  SamplingOptions biased = at(0);
  biased.biases = {{3, 1}, {0, 2}};
  EXPECT_EQ(sample(biased, {1, 3, 3, 2})->id, 0);
  EXPECT_EQ(sample(biased, {1, 3, 3, 2})->logit, 1) << "the model's logit, not the biased one";
}

TEST(Sampler, PenaltiesSeeWhatWasAppended) {
  SamplingOptions options = at(0);
  options.presencePenalty = 2;
  Sampler sampler(options);
  const std::vector<float> logits = {2, 1.5f, 1, 0};
  sampler.begin({3});
  std::vector<int32_t> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(sampler.sample(logits)->id);
    sampler.append(ids.back());
  }
  EXPECT_EQ(ids, (std::vector<int32_t>{0, 1, 2, 0}));
  sampler.begin({3});
  EXPECT_EQ(sampler.sample(logits)->id, 0) << "a new sequence knows nothing of the old one";
}

TEST(Sampler, WhatIsNoLogitIsAnError) {
  for (double temperature : {0.0, 1.0})
    for (float bad : {std::nanf(""), kInfinity}) {
      absl::Status status = sample(at(temperature), {0, 1, bad, 2}).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
      EXPECT_NE(status.message().find("for token 2: the numbers overflowed"),
                absl::string_view::npos)
          << status;
    }
}

TEST(Sampler, NoTokenLeftIsAnError) {
  for (double temperature : {0.0, 1.0}) {
    SamplingOptions options = at(temperature);
    options.biases = {{0, -std::numeric_limits<double>::infinity()}};
    EXPECT_EQ(sample(options, {0, -kInfinity}).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(sample(options, {0, -3e38f})->id, 1) << "the only one left";
  }
}

TEST(Sampler, TheChoiceDependsOnSeedAndPositionOnly) {
  std::vector<float> logits(50);
  std::mt19937 random(1);
  for (float &logit : logits)
    logit = static_cast<float>(random() % 1000) / 500;
  SamplingOptions options = at(1);
  options.topK = 0;
  int differentSeeds = 0, differentPositions = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    options.seed = seed;
    const int32_t id = sample(options, logits, {1, 2, 3})->id;
    // Another way to the same place: a sampler with a history.
    Sampler other(options);
    other.begin({9});
    (void)other.sample(logits);
    other.append(9);
    (void)other.sample(logits);
    (void)other.sample(logits);
    other.append(9);
    EXPECT_EQ(other.sample(logits)->id, id);
    differentPositions += sample(options, logits, {1, 2, 3, 4})->id != id;
    options.seed = seed + 1000;
    differentSeeds += sample(options, logits, {1, 2, 3})->id != id;
  }
  EXPECT_GT(differentPositions, 35);
  EXPECT_GT(differentSeeds, 35);
}

TEST(Sampler, LogprobsAreTheModels) {
  SamplingOptions options = at(0);
  options.logprobs = 2;
  options.biases = {{3, 100}};
  const std::vector<float> logits = {1, 2, 3, 0};
  const TokenLogprobs found = sample(options, logits)->logprobs;
  EXPECT_DOUBLE_EQ(found.chosen, -negativeLogLikelihood(logits, 3));
  ASSERT_EQ(found.top.size(), 2u);
  EXPECT_EQ(found.top[0].first, 2);
  EXPECT_DOUBLE_EQ(found.top[0].second, -negativeLogLikelihood(logits, 2));
  EXPECT_EQ(found.top[1].first, 1);
  options.logprobs = 0;
  EXPECT_TRUE(sample(options, logits)->logprobs.top.empty());
  options.logprobs = 100;
  EXPECT_EQ(sample(options, logits)->logprobs.top.size(), 4u);
}

TEST(Logits, LargestAndImproper) {
  std::mt19937 random(2);
  for (size_t size = 1; size < 70; ++size) {
    std::vector<float> logits(size);
    for (float &logit : logits)
      logit = -static_cast<float>(random() % 1000);
    EXPECT_EQ(largestLogit(logits), *std::max_element(logits.begin(), logits.end()));
    EXPECT_FALSE(findImproperLogit(logits));
    const size_t bad = random() % size;
    logits[bad] = random() % 2 ? kInfinity : std::nanf("");
    EXPECT_EQ(findImproperLogit(logits), absl::optional<size_t>(bad));
  }
  EXPECT_EQ(largestLogit({-kInfinity, std::nanf("")}), -kInfinity);
  EXPECT_FALSE(findImproperLogit({-kInfinity, 3e38f}));
}

TEST(Exponential, IsExact) {
  EXPECT_EQ(expOfNegative(0), 1);
  EXPECT_EQ(expOfNegative(-0.0), 1);
  EXPECT_EQ(expOfNegative(-708.5), 0);
  EXPECT_EQ(expOfNegative(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(expOfNegative(-std::numeric_limits<double>::max()), 0);
  EXPECT_TRUE(std::isnan(expOfNegative(std::nan(""))));
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const double x = -std::exp2(std::uniform_real_distribution<>(-60, 9.46)(random));
    const long double exact = std::exp(static_cast<long double>(x));
    ASSERT_LT(std::abs((expOfNegative(x) - exact) / exact), 0x1p-52L) << x;
  }
}

} // namespace
