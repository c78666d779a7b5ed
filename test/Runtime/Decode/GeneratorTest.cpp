//===- GeneratorTest.cpp - generations step by step -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where a generation ends is tested in SpeculatorTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Decode/PromptLookup.h"
#include "quench-rt/Decode/Speculator.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::test;

namespace {

constexpr int64_t kContext = 64;

std::vector<int32_t> promptOf(size_t length) {
  std::vector<int32_t> prompt(length);
  for (size_t i = 0; i < length; ++i)
    prompt[i] = static_cast<int32_t>(i * i % 6);
  return prompt;
}

class GeneratorTest : public testing::Test {
protected:
  FakeModel model = makeFakeModel(1, /*periodic=*/true);
  std::unique_ptr<Session> session = *Session::create(*model.executable, {kContext, 0});
};

TEST_F(GeneratorTest, StepsMakeUpTheWhole) {
  for (size_t length : {1, 2, 8, 9, 10, 30}) {
    const std::vector<int32_t> prompt = promptOf(length);
    PromptLookup lookup;
    GenerateOptions options;
    options.maxTokens = 20;
    options.draft.source = &lookup;
    auto whole = Speculator(*session).generate(prompt, options);
    ASSERT_TRUE(whole.ok()) << whole.status();
    auto generator = Generator::begin(*session, prompt, options);
    ASSERT_TRUE(generator.ok()) << generator.status();
    int64_t steps = 0;
    absl::StatusOr<bool> more = true;
    for (size_t before = 0; *more; ++steps) {
      more = (*generator)->step();
      ASSERT_TRUE(more.ok()) << more.status();
      const Generation &result = (*generator)->result();
      const int64_t positions = session->length();
      if (result.tokens.empty())
        EXPECT_LE(positions, int64_t(length) - 1);
      else
        EXPECT_EQ(positions, int64_t(length + result.tokens.size()) - 1);
      EXPECT_GE(result.tokens.size(), before);
      before = result.tokens.size();
    }
    EXPECT_EQ((*generator)->result().tokens, whole->tokens);
    EXPECT_EQ((*generator)->result().rounds, whole->rounds);
    EXPECT_LT(whole->rounds, 20) << "nothing was accepted";
    // Of the prompt at least one step, eight rows in each.
    const int64_t parts = std::max<int64_t>((int64_t(length) - 1 + 7) / 8, 1);
    EXPECT_EQ(steps, parts + whole->rounds);
    more = (*generator)->step();
    EXPECT_TRUE(more.ok() && !*more) << "it has ended";
    EXPECT_EQ((*generator)->result().tokens.size(), 20u);
  }
}

TEST_F(GeneratorTest, AnErrorEndsIt) {
  FakeModel faulty = makeFakeModel(1, false, /*fault=*/3);
  std::unique_ptr<Session> other = *Session::create(*faulty.executable, {kContext, 0});
  GenerateOptions options;
  options.maxTokens = 5;
  auto generator = Generator::begin(*other, promptOf(3), options);
  ASSERT_TRUE(generator.ok());
  EXPECT_TRUE((*generator)->step().ok()); // the prompt
  EXPECT_FALSE((*generator)->step().ok());
  auto more = (*generator)->step();
  EXPECT_TRUE(more.ok() && !*more);
}

TEST_F(GeneratorTest, IsCancelledBetweenSteps) {
  bool cancel = false;
  GenerateOptions options;
  options.cancelled = [&] { return cancel; };
  auto generator = Generator::begin(*session, promptOf(20), options);
  ASSERT_TRUE((*generator)->step().ok());
  cancel = true;
  auto more = (*generator)->step();
  EXPECT_TRUE(more.ok() && !*more);
  EXPECT_EQ((*generator)->result().stopReason, StopReason::Cancelled);
  EXPECT_EQ(session->length(), 8) << "a part of the prompt";
}

} // namespace
