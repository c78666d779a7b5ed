//===- SpeculatorTest.cpp - where a generation ends -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"
#include "SyntheticSource.h"

#include "quench-rt/Decode/PromptLookup.h"
#include "quench-rt/Decode/Speculator.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::test;

namespace {

const std::vector<int32_t> kPrompt = {7, 7, 2, 30, 11};
constexpr int64_t kContext = 48;

/// Writes ids as letters; an upper-case letter comes out only with the next one, as
/// characters do that are cut between tokens.
class Letters final : public TextStream {
public:
  std::string append(int32_t id) override {
    held += letter(id);
    if (id >= 26)
      return "";
    return std::exchange(held, "");
  }
  std::string finish() override { return std::exchange(held, ""); }

private:
  std::string held;
};

class SpeculatorTest : public testing::Test {
protected:
  void SetUp() override {
    model = makeFakeModel();
    session = *Session::create(*model.executable, {kContext, 0});
    GenerateOptions plain;
    plain.maxTokens = kContext - int64_t(kPrompt.size());
    full = *Speculator(*session).generate(kPrompt, plain);
    ASSERT_EQ(full.tokens.size(), kContext - kPrompt.size());
  }

  absl::StatusOr<Generation> generate(const GenerateOptions &options) {
    return Speculator(*session).generate(kPrompt, options);
  }

  /// Runs with every draft length and accepted count: all as plain decoding, byte for
  /// byte. Returns the plain one.
  Generation expectLossless(GenerateOptions options) {
    Generation plain;
    for (int64_t k = 1; k <= 7; ++k)
      for (int64_t right = 0; right <= k; ++right) {
        SCOPED_TRACE(testing::Message() << "draft of " << k << ", right " << right);
        SyntheticSource source(full.tokens,
                               [&](int64_t) { return SyntheticSource::Plan{k, right}; });
        options.draft.source = &source;
        options.draft.tokens = k;
        auto report = checkLossless(*session, kPrompt, options);
        EXPECT_TRUE(report.ok()) << report.status();
        if (!report.ok())
          return plain;
        EXPECT_EQ(report->difference, "");
        EXPECT_GT(report->speculative.drafted, 0) << "nothing was tested";
        if (right == k) {
          EXPECT_GT(report->speculative.accepted, 0);
        }
        EXPECT_EQ(session->length(), int64_t(kPrompt.size() + report->plain.tokens.size()) - 1);
        plain = report->plain;
      }
    return plain;
  }

  std::string fullText() const {
    std::string text;
    for (int32_t id : full.tokens)
      text += letter(id);
    return text;
  }

  FakeModel model;
  std::unique_ptr<Session> session;
  Generation full;
};

TEST_F(SpeculatorTest, AnEndTokenInsideAnAcceptedRun) {
  for (size_t at : {0u, 1u, 3u, 6u, 10u}) {
    SCOPED_TRACE(testing::Message() << "end token " << at);
    GenerateOptions options;
    options.maxTokens = 30;
    options.endTokens = {full.tokens[at]};
    Letters letters;
    options.text = &letters;
    Generation plain = expectLossless(options);
    // The token may occur earlier than where it was taken from.
    size_t first = size_t(std::find(full.tokens.begin(), full.tokens.end(), full.tokens[at]) -
                          full.tokens.begin());
    EXPECT_EQ(plain.tokens.size(), first + 1);
    EXPECT_EQ(plain.text, fullText().substr(0, first)) << "the end token is no text";
    EXPECT_EQ(plain.stopReason, StopReason::End);
  }
}

TEST_F(SpeculatorTest, AStopStringAcrossABoundary) {
  for (size_t at : {0u, 2u, 5u, 9u})
    for (size_t length : {1u, 2u, 5u, 9u}) {
      SCOPED_TRACE(testing::Message() << length << " letters at " << at);
      GenerateOptions options;
      options.maxTokens = 30;
      options.stops = {fullText().substr(at, length)};
      Letters letters;
      options.text = &letters;
      Generation plain = expectLossless(options);
      EXPECT_EQ(plain.stopReason, StopReason::Stop);
      EXPECT_EQ(plain.text, fullText().substr(0, fullText().find(options.stops[0])));
      EXPECT_GE(plain.tokens.size(), plain.text.size() + length);
    }
}

TEST_F(SpeculatorTest, TheContextEndsIt) {
  GenerateOptions options; // no maxTokens
  Generation plain = expectLossless(options);
  EXPECT_EQ(plain.stopReason, StopReason::Context);
  EXPECT_EQ(plain.tokens, full.tokens);
  EXPECT_EQ(session->length(), kContext - 1);
}

TEST_F(SpeculatorTest, TheLimitEndsIt) {
  for (int64_t n : {1, 2, 7, 8, 9, 43}) {
    GenerateOptions options;
    options.maxTokens = n;
    options.draft.tokens = 7;
    SyntheticSource source(full.tokens, [](int64_t) { return SyntheticSource::Plan{7, 7}; });
    options.draft.source = &source;
    auto result = generate(options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->tokens, std::vector<int32_t>(full.tokens.begin(), full.tokens.begin() + n));
    EXPECT_EQ(result->stopReason, StopReason::Length);
    EXPECT_EQ(result->accepted + result->rounds, n);
  }
}

TEST_F(SpeculatorTest, NothingToGenerate) {
  GenerateOptions options;
  options.maxTokens = 0;
  auto result = generate(options);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->tokens.empty());
  EXPECT_EQ(result->stopReason, StopReason::Length);

  std::vector<int32_t> fills(kContext, 1);
  result = Speculator(*session).generate(fills, {});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->tokens.empty());
  EXPECT_EQ(result->stopReason, StopReason::Context);
}

TEST_F(SpeculatorTest, WhatCannotWorkIsRefusedBeforeWorkStarts) {
  auto message = [&](std::vector<int32_t> prompt, const GenerateOptions &options) {
    return std::string(Speculator(*session).generate(prompt, options).status().message());
  };
  GenerateOptions options;
  options.maxTokens = 44;
  EXPECT_EQ(message(kPrompt, options), "a prompt of 5 tokens and 44 new ones exceed the context "
                                       "of 48: at most 43 can be generated");
  options.maxTokens = -1;
  EXPECT_EQ(message(kPrompt, options), "cannot generate -1 tokens: expected 0 or more");
  options.maxTokens = INT64_MAX;
  EXPECT_NE(message(kPrompt, options), "");
  options = {};
  EXPECT_EQ(message({}, options), "the prompt has no tokens: expected at least 1");
  EXPECT_EQ(message(std::vector<int32_t>(49, 1), options),
            "the prompt has 49 tokens, but the context only 48");
  EXPECT_EQ(message({5, 32, 1}, options), "token 32 at position 1: expected 0 to 31");
  EXPECT_EQ(message({-1, 2, 1}, options), "token -1 at position 0: expected 0 to 31");
  options.stops = {"x"};
  EXPECT_EQ(message(kPrompt, options), "stop strings need a tokenizer");
  Letters letters;
  options.text = &letters;
  options.stops = {"x", ""};
  EXPECT_EQ(message(kPrompt, options), "a stop string is empty: expected at least 1 character");
  options.stops = {};
  SyntheticSource greedy({}, [](int64_t) { return SyntheticSource::Plan{1, 0}; });
  options.draft.source = &greedy;
  options.draft.acceptance = AcceptanceRule::Rejection;
  EXPECT_EQ(message(kPrompt, options),
            "rejection sampling needs candidates that were drawn from a distribution, expected a "
            "draft model as their source");
  options.draft = {};
  options.draft.tokens = -2;
  EXPECT_EQ(message(kPrompt, options), "a draft of -2 tokens: expected 0 or more");
}

TEST_F(SpeculatorTest, WhatIsCachedIsNotProcessedAgain) {
  GenerateOptions options;
  options.maxTokens = 6;
  const Generation first = *generate(options);
  std::vector<int32_t> longer = kPrompt;
  longer.insert(longer.end(), first.tokens.begin(), first.tokens.end());
  longer.push_back(3);
  const Generation fresh = *Speculator(*session).generate(longer, options);

  // The cache of the first one, up to each length, and what follows it.
  for (int64_t cached = 0; cached <= int64_t(kPrompt.size()) + 5; ++cached) {
    ASSERT_TRUE(generate(options).ok());
    options.cached = cached;
    const auto again = Speculator(*session).generate(longer, options);
    options.cached = 0;
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->tokens, fresh.tokens) << cached;
    EXPECT_EQ(session->length(), int64_t(longer.size()) + 5);
  }
  ASSERT_TRUE(generate(options).ok());
  for (int64_t cached : {int64_t(-1), session->length() + 1, int64_t(longer.size())}) {
    options.cached = cached;
    EXPECT_EQ(Speculator(*session).generate(longer, options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(SpeculatorTest, ACancelledGenerationKeepsWhatItHas) {
  GenerateOptions options;
  int64_t asked = 0;
  for (int64_t rounds = 0; rounds < 9; ++rounds) {
    // Once in the prompt, then before each round.
    asked = 0;
    options.cancelled = [&] { return asked++ > rounds; };
    const Generation result = *generate(options);
    EXPECT_EQ(result.stopReason, StopReason::Cancelled);
    EXPECT_EQ(stopReasonName(result.stopReason), "cancelled");
    ASSERT_EQ(int64_t(result.tokens.size()), rounds);
    EXPECT_TRUE(std::equal(result.tokens.begin(), result.tokens.end(), full.tokens.begin()));
    EXPECT_EQ(session->length(), int64_t(kPrompt.size()) - 1 + rounds);
  }
  options.cancelled = [] { return true; };
  EXPECT_EQ(generate(options)->stopReason, StopReason::Cancelled);
  EXPECT_EQ(session->length(), 0);
}

TEST_F(SpeculatorTest, TextArrivesInPiecesThatMakeTheWhole) {
  GenerateOptions options;
  options.maxTokens = 20;
  Letters letters;
  options.text = &letters;
  options.stops = {"never such a string"};
  std::string streamed;
  options.onText = [&](absl::string_view piece) {
    EXPECT_FALSE(piece.empty());
    streamed.append(piece.data(), piece.size());
  };
  auto result = generate(options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->text, fullText().substr(0, 20));
  EXPECT_EQ(streamed, result->text);
}

TEST_F(SpeculatorTest, DraftsThatAreNoTokensAreNotTaken) {
  class Wild final : public DraftSource {
  public:
    void begin(absl::Span<const int32_t>) override {}
    void append(absl::Span<const int32_t>) override {}
    int64_t propose(absl::Span<const int32_t>, absl::Span<int32_t> candidates) override {
      std::fill(candidates.begin(), candidates.end(), 1 << 30);
      return 1000;
    }
  } wild;
  GenerateOptions options;
  options.draft.source = &wild;
  auto report = checkLossless(*session, kPrompt, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->difference, "");
  EXPECT_EQ(report->speculative.drafted, 0);
}

TEST_F(SpeculatorTest, ADifferenceIsNoticed) {
  // A source cannot change the result, but text state can: a stream that is not reset.
  class Counting final : public TextStream {
  public:
    std::string append(int32_t) override { return std::to_string(++count); }
    std::string finish() override { return ""; }
    int count = 0;
  } counting;
  SyntheticSource source(full.tokens, [](int64_t) { return SyntheticSource::Plan{4, 4}; });
  GenerateOptions options;
  options.maxTokens = 10;
  options.draft.source = &source;
  options.text = &counting;
  auto report = checkLossless(*session, kPrompt, options);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->difference, "the text or the reason why it ended differ");
}

TEST(SpeculatorWithLookup, PeriodicTextIsDraftedAndAccepted) {
  FakeModel model = makeFakeModel(2, /*periodic=*/true);
  auto session = Session::create(*model.executable, {256, 0});
  ASSERT_TRUE(session.ok());
  PromptLookup lookup;
  GenerateOptions options;
  options.maxTokens = 200;
  options.draft.source = &lookup;
  auto report = checkLossless(**session, {0, 1, 2}, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->difference, "");
  const Generation &drafted = report->speculative;
  EXPECT_GT(drafted.drafted, 100);
  // Once around the period everything is foreseen.
  EXPECT_GT(drafted.accepted, 150);
  EXPECT_LT(drafted.rounds, 50);
  EXPECT_EQ(drafted.accepted + drafted.rounds, 200);
}

} // namespace
