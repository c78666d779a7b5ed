//===- TextSessionTest.cpp - continuing texts and conversations -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/ChatSession.h"
#include "quench-rt/Model/LoadedModel.h"
#include "quench-rt/Model/ModelPath.h"

#include "FakeModel.h"
#include "Model/FakePackage.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace qrt;
using namespace qrt::test;

namespace {

using Ids = std::vector<int32_t>;

class TextSessionTest : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("QUENCH_CACHE", (folder / "cache").c_str(), 1);
    writeFakePackage(folder / "package");
    ModelOptions options;
    options.model = folder / "package";
    options.threads = 1;
    options.trustCode = true;
    absl::StatusOr<LoadedModel> loaded = loadModel(options);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    model = *std::move(loaded);
    tokenizer = *loadTokenizer(options.model);
  }
  void TearDown() override { ::unsetenv("QUENCH_CACHE"); }

  std::unique_ptr<TextSession> newSession() {
    return std::make_unique<TextSession>(*model.newSession(0, "context"), *tokenizer, "the model");
  }

  static Ids finish(TextGeneration &generation) {
    absl::StatusOr<bool> more = true;
    while (more.ok() && *more)
      more = generation.step();
    EXPECT_TRUE(more.ok()) << more.status();
    return generation.result().tokens;
  }

  TemporaryFolder folder;
  LoadedModel model;
  std::unique_ptr<Tokenizer> tokenizer;
};

TextOptions tokens(int64_t count) {
  TextOptions options;
  options.maxTokens = count;
  options.ignoreEnd = true;
  return options;
}

TEST_F(TextSessionTest, WhatIsInTheCacheIsNotProcessedAgain) {
  const std::vector<Ids> prompts = {{5, 6, 7, 8}, {5, 6, 7, 8}, {5, 6, 9}, {5}, {4, 6}};
  const int64_t cached[] = {0, 3, 2, 0, 0};
  std::unique_ptr<TextSession> one = newSession();
  for (size_t i = 0; i < prompts.size(); ++i) {
    absl::StatusOr<TextGeneration *> again = one->begin(prompts[i], tokens(6));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ((*again)->cached(), cached[i]) << i;
    std::unique_ptr<TextSession> fresh = newSession();
    EXPECT_EQ(finish(**again), finish(**fresh->begin(prompts[i], tokens(6)))) << i;
  }
}

TEST_F(TextSessionTest, AGenerationMayBeLeftHalfDone) {
  std::unique_ptr<TextSession> session = newSession();
  TextGeneration *half = *session->begin(Ids{1, 2, 3}, tokens(20));
  ASSERT_TRUE(half->step().ok());
  ASSERT_TRUE(half->step().ok());
  const Ids first = half->result().tokens;
  ASSERT_FALSE(first.empty());
  Ids prompt = {1, 2, 3};
  prompt.insert(prompt.end(), first.begin(), first.end());
  TextGeneration *rest = *session->begin(prompt, tokens(5));
  EXPECT_EQ(rest->cached(), int64_t(prompt.size()) - 1);
  std::unique_ptr<TextSession> fresh = newSession();
  EXPECT_EQ(finish(*rest), finish(**fresh->begin(prompt, tokens(5))));
}

TEST_F(TextSessionTest, OtherWorkMakesItForget) {
  std::unique_ptr<TextSession> session = newSession();
  finish(**session->begin(Ids{1, 2, 3}, tokens(4)));
  ASSERT_TRUE(session->session().truncate(0).ok());
  EXPECT_EQ((*session->begin(Ids{1, 2, 3}, tokens(4)))->cached(), 0);
}

TEST_F(TextSessionTest, ARefusedPromptChangesNothing) {
  std::unique_ptr<TextSession> session = newSession();
  finish(**session->begin(Ids{1, 2, 3}, tokens(4)));
  EXPECT_FALSE(session->begin(Ids{}, tokens(4)).ok());
  EXPECT_FALSE(session->begin(Ids{1, 99}, tokens(4)).ok());
  EXPECT_FALSE(session->begin(Ids{1}, tokens(64)).ok());
  TextGeneration *same = *session->begin(Ids{1, 2, 3, 4}, tokens(4));
  EXPECT_GE(same->cached(), 3);
}

TEST_F(TextSessionTest, AConversationKeepsItsCache) {
  std::unique_ptr<TextSession> session = newSession();
  ChatTemplate chatml = *chooseChatTemplate(*tokenizer, "", "the model");
  ChatSession chat(*session, chatml, "");
  TextGeneration *first = *chat.ask("ab", tokens(2));
  const size_t prompt = first->result().promptTokens.size();
  finish(*first);
  chat.finishAnswer(*first);
  absl::StatusOr<TextGeneration *> second = chat.ask("c", tokens(2));
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_GE((*second)->cached(), int64_t(prompt));
  finish(**second);
  chat.finishAnswer(**second);
  EXPECT_EQ(chat.ask(std::string(60, 'a'), tokens(2)).status().code(),
            absl::StatusCode::kInvalidArgument);
  chat.clear();
  EXPECT_EQ((*chat.ask("ab", tokens(1)))->result().promptTokens.size(), prompt);
}

TEST_F(TextSessionTest, TemplatesAreChosenByName) {
  EXPECT_TRUE(chooseChatTemplate(*tokenizer, "chatml", "m").ok());
  EXPECT_EQ(
      std::string(chooseChatTemplate(*tokenizer, "llama3", "m").status().message()).substr(0, 3),
      "m: ");
  EXPECT_FALSE(chooseChatTemplate(*tokenizer, "other", "m").ok());
}

} // namespace
