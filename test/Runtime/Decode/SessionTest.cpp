//===- SessionTest.cpp - running the entry points of a model --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Decode/Session.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::test;

namespace {

class SessionTest : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    model = makeFakeModel(GetParam());
    session = *Session::create(*model.executable, {32, 0});
  }
  FakeModel model;
  std::unique_ptr<Session> session;
};

TEST_P(SessionTest, KnowsItsProgram) {
  EXPECT_EQ(session->vocabularySize(), 32);
  EXPECT_EQ(session->maxRows(), 8);
  EXPECT_EQ(*session->maxDraft(), 7);
  EXPECT_EQ(session->contextLength(), 32);
}

TEST_P(SessionTest, EntriesAgreeWithEachOther) {
  const std::vector<int32_t> tokens = {4, 8, 15, 16, 23};
  auto logits = session->logits(tokens);
  ASSERT_TRUE(logits.ok()) << logits.status();
  EXPECT_EQ(session->length(), 5);
  std::vector<float> rows(logits->begin(), logits->end());
  ASSERT_EQ(rows.size(), 5u * 32);

  ASSERT_TRUE(session->truncate(0).ok());
  auto step = session->greedy(tokens);
  ASSERT_TRUE(step.ok()) << step.status();
  ASSERT_EQ(step->ids.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    auto row = rows.begin() + static_cast<ptrdiff_t>(32 * i);
    auto best = std::max_element(row, row + 32);
    EXPECT_EQ(step->ids[i], best - row);
    EXPECT_EQ(step->logits[i], *best);
  }
  std::string hash = *session->hashCommitted(5);
  ASSERT_TRUE(session->truncate(2).ok());
  ASSERT_TRUE(session->prefill({15, 16, 23}).ok());
  EXPECT_EQ(*session->hashCommitted(5), hash);
}

TEST_P(SessionTest, TheContextIsRespected) {
  ASSERT_TRUE(session->prefill(std::vector<int32_t>(30, 1)).ok());
  EXPECT_EQ(session->greedy({1, 2, 3}).status().message(),
            "cannot append 3 positions to 30: the context has 32");
  EXPECT_TRUE(session->greedy({1, 2}).ok());
  EXPECT_EQ(session->prefill({1}).code(), absl::StatusCode::kOutOfRange);
}

TEST_P(SessionTest, WrongStepsAreRefused) {
  EXPECT_EQ(session->greedy({}).status().message(), "a step of 0 tokens: expected 1 to 8");
  EXPECT_EQ(session->greedy(std::vector<int32_t>(9, 0)).status().message(),
            "a step of 9 tokens: expected 1 to 8");
  EXPECT_EQ(session->logits({0, 32}).status().message(),
            "token 32 at position 1: expected 0 to 31");
}

INSTANTIATE_TEST_SUITE_P(Threads, SessionTest, testing::Values(1, 2, 3));

TEST(SessionOptions, ImpossibleOnesAreRefused) {
  FakeModel model = makeFakeModel();
  EXPECT_EQ(Session::create(*model.executable, {0, 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Session::create(*model.executable, {10, 9}).status().message(),
            "prefill of 9 rows: expected at most 8");
}

} // namespace
