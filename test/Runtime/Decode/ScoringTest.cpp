//===- ScoringTest.cpp - losses and perplexity ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Decode/Logits.h"
#include "quench-rt/Decode/Scoring.h"
#include "quench-rt/Decode/Speculator.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace qrt;
using namespace qrt::test;

namespace {

class ScoringTest : public testing::Test {
protected:
  void SetUp() override {
    model = makeFakeModel(2);
    session = *Session::create(*model.executable, {64, 0});
    for (int i = 0; i < 50; ++i)
      tokens.push_back((i * 7 + i * i) % 32);
  }

  /// Logits of each position, one step per token.
  std::vector<std::vector<float>> reference(absl::Span<const int32_t> ids) {
    EXPECT_TRUE(session->truncate(0).ok());
    std::vector<std::vector<float>> rows;
    for (int32_t id : ids) {
      auto row = session->logits({&id, 1});
      EXPECT_TRUE(row.ok()) << row.status();
      rows.emplace_back(row->begin(), row->end());
    }
    return rows;
  }

  FakeModel model;
  std::unique_ptr<Session> session;
  std::vector<int32_t> tokens;
};

TEST_F(ScoringTest, ScoresEveryPosition) {
  auto rows = reference(tokens);
  auto scores = score(*session, tokens, 3);
  ASSERT_TRUE(scores.ok()) << scores.status();
  ASSERT_EQ(scores->size(), tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    const PositionScore &got = (*scores)[i];
    EXPECT_EQ(got.token, tokens[i]);
    EXPECT_EQ(got.top, topLogits(rows[i], 3));
    if (i + 1 < tokens.size())
      EXPECT_EQ(*got.nllOfNext, negativeLogLikelihood(rows[i], tokens[i + 1]));
    else
      EXPECT_FALSE(got.nllOfNext);
  }
}

TEST_F(ScoringTest, TopOfScoreIsWhatGreedyEmits) {
  GenerateOptions options;
  options.maxTokens = 12;
  std::vector<int32_t> prompt(tokens.begin(), tokens.begin() + 9);
  auto generation = Speculator(*session).generate(prompt, options);
  ASSERT_TRUE(generation.ok());
  std::vector<int32_t> all = prompt;
  all.insert(all.end(), generation->tokens.begin(), generation->tokens.end());
  auto scores = score(*session, all, 1);
  ASSERT_TRUE(scores.ok());
  for (size_t i = 0; i < generation->tokens.size(); ++i) {
    const auto &top = (*scores)[prompt.size() - 1 + i].top[0];
    EXPECT_EQ(top.first, generation->tokens[i]);
    EXPECT_EQ(top.second, generation->logits[i]);
  }
}

// The definition of Scoring.h, written down plainly: windows of 12, of which
// predictions at positions 6 to 10 count; two tokens at the end are not used.
TEST_F(ScoringTest, Perplexity) {
  for (absl::optional<int32_t> bos : {absl::optional<int32_t>(), absl::optional<int32_t>(30)}) {
    std::vector<double> losses;
    for (size_t start = 0; start + 12 <= tokens.size(); start += 12) {
      std::vector<int32_t> window(tokens.begin() + static_cast<ptrdiff_t>(start),
                                  tokens.begin() + static_cast<ptrdiff_t>(start + 12));
      if (bos)
        window[0] = *bos;
      auto rows = reference(window);
      for (size_t i = 6; i <= 10; ++i)
        losses.push_back(negativeLogLikelihood(rows[i], window[i + 1]));
    }
    ASSERT_EQ(losses.size(), 20u);
    double mean = 0, variance = 0;
    for (double loss : losses)
      mean += loss / 20;
    for (double loss : losses)
      variance += (loss - mean) * (loss - mean) / 20;

    PerplexityOptions options;
    options.window = 12;
    options.beginningOfText = bos;
    int64_t calls = 0;
    options.progress = [&](int64_t done, int64_t windows, double) {
      EXPECT_EQ(done, ++calls);
      EXPECT_EQ(windows, 4);
    };
    auto result = perplexity(*session, tokens, options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->tokens, 20);
    EXPECT_EQ(calls, 4);
    EXPECT_NEAR(result->perplexity, std::exp(mean), 1e-10);
    EXPECT_NEAR(result->standardError, std::exp(mean) * std::sqrt(variance / 19), 1e-9);
  }
}

TEST_F(ScoringTest, IsCancelledWithinATextAndAWindow) {
  int64_t asked = 0;
  const auto second = [&] { return ++asked == 2; };
  EXPECT_EQ(score(*session, tokens, 1, second).status().code(), absl::StatusCode::kCancelled);
  EXPECT_LT(session->length(), int64_t(tokens.size()));
  asked = 0;
  PerplexityOptions options;
  options.window = 20;
  options.cancelled = second;
  EXPECT_EQ(perplexity(*session, tokens, options).status().code(), absl::StatusCode::kCancelled);
}

TEST_F(ScoringTest, WhatCannotWorkIsRefused) {
  EXPECT_EQ(score(*session, {}, 1).status().message(), "there are no tokens to score");
  EXPECT_EQ(score(*session, std::vector<int32_t>(65), 1).status().message(),
            "65 tokens exceed the context of 64");
  EXPECT_EQ(score(*session, {1, 99}, 1).status().message(),
            "token 99 at index 1: expected 0 to 31");
  PerplexityOptions options;
  EXPECT_EQ(perplexity(*session, tokens, options).status().message(),
            "windows of 512 tokens: expected 3 to 64");
  options.window = 64;
  EXPECT_EQ(perplexity(*session, tokens, options).status().message(),
            "the text has 50 tokens: expected at least 64, one window");
}

} // namespace
