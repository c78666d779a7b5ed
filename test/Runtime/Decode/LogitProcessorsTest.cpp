//===- LogitProcessorsTest.cpp - biases and penalties ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/LogitProcessors.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>

using namespace qrt;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kMost = std::numeric_limits<float>::max();

std::vector<float> penalized(std::vector<float> logits, const SamplingOptions &options,
                             const std::vector<int32_t> &text) {
  RecentTokens recent(options.repeatLastN);
  for (int32_t token : text)
    recent.append(token);
  applyPenalties(options, recent, absl::MakeSpan(logits));
  return logits;
}

TEST(RecentTokens, CountsAsARecountWould) {
  for (int64_t window : {-1, 0, 1, 2, 7, 64}) {
    RecentTokens recent(window);
    std::mt19937 random(1);
    for (int sequence = 0; sequence < 3; ++sequence) {
      recent.clear();
      std::vector<int32_t> text;
      for (int i = 0; i < 200; ++i) {
        const auto expectedSize = static_cast<int64_t>(text.size());
        const int64_t size = window < 0 ? expectedSize : std::min(window, expectedSize);
        std::map<int32_t, int64_t> expected;
        for (auto token = text.end() - size; token != text.end(); ++token)
          ++expected[*token];
        const std::map<int32_t, int64_t> counts(recent.counts().begin(), recent.counts().end());
        ASSERT_EQ(counts, expected) << "window " << window << ", " << i << " tokens";
        text.push_back(static_cast<int32_t>(random() % 5));
        recent.append(text.back());
      }
    }
  }
}

TEST(Penalties, RepetitionDividesPositiveLogitsAndMultipliesOthers) {
  SamplingOptions options;
  options.repeatPenalty = 2;
  // However often a token occurred.
  EXPECT_EQ(penalized({3, -3, 0, 5}, options, {0, 1, 2, 0, 0}),
            (std::vector<float>{1.5f, -6, 0, 5}));
  options.repeatPenalty = 0.5;
  EXPECT_EQ(penalized({3, -3, 0, 5}, options, {0, 1, 2}), (std::vector<float>{6, -1.5f, 0, 5}));
}

TEST(Penalties, FrequencyCountsAndPresenceDoesNot) {
  SamplingOptions options;
  options.frequencyPenalty = 0.5;
  EXPECT_EQ(penalized({1, 1, 1}, options, {0, 0, 0, 1}), (std::vector<float>{-0.5f, 0.5f, 1}));
  options.frequencyPenalty = -0.5;
  EXPECT_EQ(penalized({1, 1, 1}, options, {0, 0, 0, 1}), (std::vector<float>{2.5f, 1.5f, 1}));
  options = {};
  options.presencePenalty = 0.25;
  EXPECT_EQ(penalized({1, 1, 1}, options, {0, 0, 0, 1}), (std::vector<float>{0.75f, 0.75f, 1}));
}

TEST(Penalties, RepetitionComesBeforeTheOthers) {
  SamplingOptions options;
  options.repeatPenalty = 2;
  options.frequencyPenalty = 1;
  options.presencePenalty = 0.5;
  EXPECT_EQ(penalized({8, -8}, options, {0, 0, 1}), (std::vector<float>{1.5f, -17.5f}));
}

TEST(Penalties, OnlyTheWindowCounts) {
  SamplingOptions options;
  options.frequencyPenalty = 1;
  const std::vector<int32_t> text = {0, 0, 0, 1, 2, 1};
  options.repeatLastN = 3;
  EXPECT_EQ(penalized({0, 0, 0}, options, text), (std::vector<float>{0, -2, -1}));
  options.repeatLastN = 4;
  EXPECT_EQ(penalized({0, 0, 0}, options, text), (std::vector<float>{-1, -2, -1}));
  options.repeatLastN = 5;
  EXPECT_EQ(penalized({0, 0, 0}, options, text), (std::vector<float>{-2, -2, -1}));
  options.repeatLastN = -1;
  EXPECT_EQ(penalized({0, 0, 0}, options, text), (std::vector<float>{-3, -2, -1}));
  options.repeatLastN = 0;
  EXPECT_EQ(penalized({0, 0, 0}, options, text), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(penalized({0, 0, 0}, options, {}), (std::vector<float>{0, 0, 0}));
}

TEST(Penalties, ExtremesStayLogits) {
  SamplingOptions options;
  for (float penalty : {1e-30f, 1e30f})
    for (float subtracted : {kMost, -kMost}) {
      options.repeatPenalty = penalty;
      options.frequencyPenalty = subtracted;
      options.presencePenalty = subtracted;
      for (float logit : penalized({kMost, -kMost, 0, -kInfinity}, options, {0, 1, 2, 3}))
        EXPECT_LE(logit, kMost);
      EXPECT_EQ(penalized({-kInfinity}, options, {0, 0})[0], -kInfinity);
      EXPECT_GE(penalized({-kMost}, options, {0, 0})[0], -kMost);
    }
}

TEST(LogitBias, AddsUpAndExcludes) {
  std::vector<float> logits = {1, 2, 3, kMost, -kInfinity};
  const std::vector<LogitBias> biases = {
      {0, 0.5}, {0, 0.25}, {1, -std::numeric_limits<double>::infinity()}, {3, kMost}, {4, 100}};
  addBiases(biases, absl::MakeSpan(logits));
  EXPECT_EQ(logits, (std::vector<float>{1.75f, -kInfinity, 3, kMost, -kInfinity}));
}

} // namespace
