//===- EveryAcceptedCountTest.cpp - every accepted count at every width ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"
#include "SyntheticSource.h"

#include "quench-rt/Decode/Speculator.h"

#include "gtest/gtest.h"

#include <random>

using namespace qrt;
using namespace qrt::test;

namespace {

constexpr int64_t kTokens = 40;
const std::vector<int32_t> kPrompt = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};

struct Outcome {
  Generation generation;
  std::vector<uint8_t> cache;
};

Outcome run(Session &session, DraftSource *draft, int64_t draftTokens = 0) {
  GenerateOptions options;
  options.maxTokens = kTokens;
  options.draft.source = draft;
  options.draft.tokens = draftTokens;
  auto result = Speculator(session).generate(kPrompt, options);
  EXPECT_TRUE(result.ok()) << result.status();
  auto cache = session.readCommitted(0, session.length());
  return {*std::move(result), *std::move(cache)};
}

class EveryAcceptedCount : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    model = makeFakeModel(GetParam());
    session = *Session::create(*model.executable, {/*contextLength=*/64, 0});
    plain = run(*session, nullptr);
    ASSERT_EQ(plain.generation.tokens.size(), size_t(kTokens));
    ASSERT_EQ(session->length(), int64_t(kPrompt.size()) + kTokens - 1);
  }

  void expectSame(const Outcome &other) {
    EXPECT_EQ(other.generation.tokens, plain.generation.tokens);
    EXPECT_EQ(other.generation.logits, plain.generation.logits);
    EXPECT_EQ(other.cache, plain.cache);
  }

  FakeModel model;
  std::unique_ptr<Session> session;
  Outcome plain;
};

// Semantics: SPEC-4 (the part of the runtime)
TEST_P(EveryAcceptedCount, IsLossless) {
  for (int64_t k = 0; k <= 7; ++k)
    for (int64_t accepted = 0; accepted <= k; ++accepted) {
      SCOPED_TRACE(testing::Message() << "width " << k + 1 << ", accepted " << accepted);
      SyntheticSource source(plain.generation.tokens,
                             [&](int64_t) { return SyntheticSource::Plan{k, accepted}; });
      Outcome drafted = run(*session, &source, k);
      expectSame(drafted);
      // All rounds but the last, which the limit may cut, did as they were told.
      int64_t rounds = (kTokens + accepted) / (accepted + 1);
      EXPECT_EQ(drafted.generation.rounds, rounds);
      EXPECT_GE(drafted.generation.accepted, accepted * (rounds - 1));
      EXPECT_LE(drafted.generation.accepted, accepted * rounds);
      if (k > 0) {
        EXPECT_GT(drafted.generation.drafted, 0);
        EXPECT_EQ(source.lengths.front(), k);
      }
    }
}

TEST_P(EveryAcceptedCount, MixedCountsAreLossless) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    SyntheticSource source(plain.generation.tokens, [&](int64_t) {
      int64_t length = static_cast<int64_t>(random() % 8);
      return SyntheticSource::Plan{length, static_cast<int64_t>(random() % 8)};
    });
    expectSame(run(*session, &source, 7));
  }
}

TEST_P(EveryAcceptedCount, PromptChunksDoNotMatter) {
  for (int64_t rows = 1; rows <= 8; ++rows) {
    auto other = Session::create(*model.executable, {64, rows});
    ASSERT_TRUE(other.ok()) << other.status();
    expectSame(run(**other, nullptr));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, EveryAcceptedCount, testing::Values(1, 2, 3));

} // namespace
