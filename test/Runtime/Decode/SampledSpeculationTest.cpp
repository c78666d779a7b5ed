//===- SampledSpeculationTest.cpp - drafts do not change what is sampled --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"
#include "SyntheticSource.h"

#include "quench-rt/Decode/PromptLookup.h"
#include "quench-rt/Decode/Speculator.h"

#include "gtest/gtest.h"

#include <limits>
#include <ostream>

using namespace qrt;
using namespace qrt::test;

namespace {

constexpr int64_t kTokens = 40;
const std::vector<int32_t> kPrompt = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};

struct Choice {
  const char *name;
  void (*set)(SamplingOptions &options);

  friend void PrintTo(const Choice &choice, std::ostream *out) { *out << choice.name; }
};

const Choice kChoices[] = {
    {"Logprobs", [](SamplingOptions &o) { o.logprobs = 3; }},
    {"Bias",
     [](SamplingOptions &o) {
       o.biases = {{5, 0.5}, {7, -std::numeric_limits<double>::infinity()}};
     }},
    {"RepeatPenalty", [](SamplingOptions &o) { o.repeatPenalty = 1.5; }},
    {"FrequencyPenalty", [](SamplingOptions &o) { o.frequencyPenalty = 0.2; }},
    // A window that the tokens of one round alone can fill.
    {"PresencePenalty",
     [](SamplingOptions &o) {
       o.presencePenalty = 0.4;
       o.repeatLastN = 5;
     }},
    {"Temperature", [](SamplingOptions &o) { o.temperature = 0.7; }},
    {"Everything",
     [](SamplingOptions &o) {
       o.temperature = 0.3;
       o.topK = 12;
       o.topP = 0.8;
       o.minP = 0.3;
       o.repeatPenalty = 1.2;
       o.frequencyPenalty = 0.1;
       o.presencePenalty = 0.1;
       o.repeatLastN = 9;
       o.biases = {{1, 0.3}};
       o.logprobs = 2;
       o.seed = 77;
     }},
};

class SampledSpeculation : public testing::TestWithParam<Choice> {
protected:
  void SetUp() override {
    GetParam().set(options.sampling);
    options.maxTokens = kTokens;
    plain = generate(*session);
    ASSERT_EQ(plain.tokens.size(), size_t(kTokens));
  }

  Generation generate(Session &on) {
    auto result = Speculator(on).generate(kPrompt, options);
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  }

  FakeModel model = makeFakeModel(2);
  std::unique_ptr<Session> session = *Session::create(*model.executable, {64, 0});
  GenerateOptions options;
  Generation plain;
};

TEST_P(SampledSpeculation, EveryAcceptedCountIsLossless) {
  for (int64_t k = 1; k <= 7; ++k)
    for (int64_t accepted = 0; accepted <= k; ++accepted) {
      SCOPED_TRACE(testing::Message() << "width " << k + 1 << ", accepted " << accepted);
      SyntheticSource source(plain.tokens,
                             [&](int64_t) { return SyntheticSource::Plan{k, accepted}; });
      options.draft.source = &source;
      options.draft.tokens = k;
      auto report = checkLossless(*session, kPrompt, options);
      ASSERT_TRUE(report.ok()) << report.status();
      EXPECT_EQ(report->difference, "");
      EXPECT_EQ(report->speculative.tokens, plain.tokens);
      EXPECT_EQ(report->speculative.rounds, (kTokens + accepted) / (accepted + 1));
      EXPECT_EQ(report->speculative.rounds + report->speculative.accepted, kTokens);
      EXPECT_GT(report->speculative.drafted, 0);
    }
}

// What is emitted follows from the text before it and nothing else.
TEST_P(SampledSpeculation, ASamplerThatIsToldTheTextChoosesTheSame) {
  std::vector<int32_t> text = kPrompt;
  for (size_t i = 0; i < plain.tokens.size(); ++i) {
    ASSERT_TRUE(session->truncate(0).ok());
    ASSERT_TRUE(session->prefill(absl::MakeConstSpan(text).first(text.size() - 1)).ok());
    Sampler sampler(options.sampling);
    sampler.begin(text);
    auto token = sampler.sample(*session->logits({text.back()}));
    ASSERT_TRUE(token.ok()) << token.status();
    ASSERT_EQ(token->id, plain.tokens[i]) << "token " << i;
    EXPECT_EQ(token->logit, plain.logits[i]);
    text.push_back(token->id);
  }
}

TEST_P(SampledSpeculation, ThreadsAndChunksDoNotMatter) {
  for (int threads : {1, 3})
    for (int64_t rows : {1, 3, 8}) {
      FakeModel other = makeFakeModel(threads);
      auto session = Session::create(*other.executable, {64, rows});
      ASSERT_TRUE(session.ok());
      const Generation again = generate(**session);
      EXPECT_EQ(again.tokens, plain.tokens);
      EXPECT_EQ(again.logits, plain.logits);
      EXPECT_EQ(again.logprobs, plain.logprobs);
    }
}

TEST_P(SampledSpeculation, AnEndInsideAnAcceptedRun) {
  for (size_t at : {0u, 2u, 5u, 11u}) {
    options.endTokens = {plain.tokens[at]};
    SyntheticSource source(plain.tokens, [](int64_t) { return SyntheticSource::Plan{7, 7}; });
    options.draft.source = &source;
    options.draft.tokens = 7;
    auto report = checkLossless(*session, kPrompt, options);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->difference, "");
    EXPECT_EQ(report->speculative.stopReason, StopReason::End);
    EXPECT_EQ(report->speculative.logprobs.size(),
              options.sampling.logprobs ? report->speculative.tokens.size() : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Options, SampledSpeculation, testing::ValuesIn(kChoices),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(SampledRoute, AtTemperatureZeroAgreesWithTheFusedOne) {
  FakeModel model = makeFakeModel(2);
  auto session = *Session::create(*model.executable, {64, 0});
  SyntheticSource source({}, [](int64_t) { return SyntheticSource::Plan{3, 0}; });
  for (bool drafts : {false, true}) {
    GenerateOptions options;
    options.maxTokens = kTokens;
    options.draft.source = drafts ? &source : nullptr;
    const Generation fused = *Speculator(*session).generate(kPrompt, options);
    const std::string hash = *session->hashCommitted(session->length());
    options.sampling.logprobs = 1;
    const Generation sampled = *Speculator(*session).generate(kPrompt, options);
    EXPECT_EQ(sampled.tokens, fused.tokens);
    EXPECT_EQ(sampled.logits, fused.logits);
    EXPECT_EQ(*session->hashCommitted(session->length()), hash);
    EXPECT_TRUE(fused.logprobs.empty());
    for (size_t i = 0; i < sampled.tokens.size(); ++i) {
      EXPECT_EQ(sampled.logprobs[i].top[0].first, sampled.tokens[i]);
      EXPECT_EQ(sampled.logprobs[i].top[0].second, sampled.logprobs[i].chosen);
    }
  }
}

TEST(SampledRoute, LookupIsAcceptedAndRejected) {
  FakeModel model = makeFakeModel(2, /*periodic=*/true);
  auto session = *Session::create(*model.executable, {256, 0});
  PromptLookup lookup;
  GenerateOptions options;
  options.maxTokens = 200;
  options.draft.source = &lookup;
  options.sampling.temperature = 0.8;
  options.sampling.topP = 1;
  options.sampling.minP = 0;
  std::vector<std::vector<int32_t>> texts;
  for (uint64_t seed : {1, 2, 1}) {
    options.sampling.seed = seed;
    auto report = checkLossless(*session, {0, 1, 2, 3, 4, 5, 0, 1, 2}, options);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->difference, "");
    EXPECT_GT(report->speculative.accepted, 20);
    EXPECT_LT(report->speculative.accepted, report->speculative.drafted);
    texts.push_back(report->speculative.tokens);
  }
  EXPECT_EQ(texts[0], texts[2]);
  EXPECT_NE(texts[0], texts[1]);
}

TEST(SampledRoute, DraftsThatAreNoTokensAreNotTaken) {
  class Wild final : public DraftSource {
  public:
    void begin(absl::Span<const int32_t>) override {}
    void append(absl::Span<const int32_t>) override {}
    int64_t propose(absl::Span<const int32_t>, absl::Span<int32_t> candidates) override {
      std::fill(candidates.begin(), candidates.end(), -1);
      return 1000;
    }
  } wild;
  FakeModel model = makeFakeModel();
  auto session = *Session::create(*model.executable, {64, 0});
  GenerateOptions options;
  options.draft.source = &wild;
  options.sampling.temperature = 1;
  auto report = checkLossless(*session, kPrompt, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->difference, "");
  EXPECT_EQ(report->speculative.drafted, 0);
}

TEST(SampledRoute, WhatCannotWorkIsNamed) {
  GenerateOptions options;
  options.sampling.temperature = 1;
  FakeModel broken = makeFakeModel(1, false, /*fault=*/3);
  auto session = *Session::create(*broken.executable, {64, 0});
  EXPECT_EQ(Speculator(*session).generate(kPrompt, options).status().message(),
            "the program's entry 'logits', row 0: a logit of nan for token 4: the numbers "
            "overflowed");
  FakeModel model = makeFakeModel();
  session = *Session::create(*model.executable, {64, 0});
  options.sampling.topP = 2;
  EXPECT_EQ(Speculator(*session).generate(kPrompt, options).status().message(),
            "top-p: found 2, expected 0 to 1");
  options.sampling = {};
  options.sampling.biases = {{32, 1}};
  EXPECT_EQ(Speculator(*session).generate(kPrompt, options).status().message(),
            "logit-bias: found token 32, expected a token from 0 to 31");
  options.sampling.biases.clear();
  for (int32_t id = 0; id < 32; ++id)
    options.sampling.biases.push_back({id, -std::numeric_limits<double>::infinity()});
  absl::Status status = Speculator(*session).generate(kPrompt, options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("no token is left to follow at position 11"),
            absl::string_view::npos)
      << status;
}

} // namespace
