//===- ChatTest.cpp - conversations through the C API ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CApi/ModelFixture.h"

using namespace qrt::test;

namespace {

class CChat : public ModelFixture {
protected:
  void SetUp() override {
    ModelFixture::SetUp();
    ASSERT_QRT_OK(qrt_chat_create(session, nullptr, "", &chat));
  }
  void TearDown() override {
    qrt_chat_free(chat);
    ModelFixture::TearDown();
  }

  qrt_generation *ask(const std::string &question, int64_t count) {
    const qrt_generate_options options = tokens(count);
    qrt_generation *answer = nullptr;
    EXPECT_QRT_OK(qrt_chat_ask(chat, question.data(), question.size(), &options, &answer));
    return answer;
  }
  void readStats(const qrt_generation *answer) {
    stats = QRT_GENERATION_STATS_INIT;
    EXPECT_QRT_OK(qrt_generation_get_stats(answer, &stats));
  }
  /// The length of the prompt of a next question, which nothing remembers.
  int64_t nextPrompt() {
    qrt_generation *answer = ask("a", 1);
    readStats(answer);
    qrt_generation_free(answer);
    return stats.prompt_tokens;
  }

  qrt_chat *chat = nullptr;
};

TEST_F(CChat, AnswersAreRemembered) {
  const int64_t first = nextPrompt();
  qrt_generation *answer = ask("a", 4);
  runAll(answer);
  // Before the handle is freed.
  qrt_generation *second = ask("a", 4);
  readStats(second);
  EXPECT_GE(stats.prompt_tokens, first + 4 + 1);
  EXPECT_GE(stats.cached_tokens, first + 3);
  qrt_generation_free(answer);
  qrt_generation_free(second);
  qrt_chat_clear(chat);
  EXPECT_EQ(nextPrompt(), first);
}

TEST_F(CChat, AHalfAnswerIsKeptWhereverItEnds) {
  const int64_t first = nextPrompt();
  const auto half = [&] {
    qrt_chat_clear(chat);
    qrt_generation *answer = ask("a", 10);
    qrt_piece piece = QRT_PIECE_INIT;
    while (piece.num_tokens == 0)
      EXPECT_QRT_OK(qrt_generation_next(answer, &piece));
    EXPECT_FALSE(piece.done);
    return answer;
  };
  qrt_generation_free(half());
  EXPECT_GT(nextPrompt(), first);

  qrt_generation *answer = half();
  qrt_session_cancel(session);
  runAll(answer);
  EXPECT_GT(nextPrompt(), first);
  qrt_generation_free(answer);

  // The session does something else.
  answer = half();
  double losses[2];
  const Ids text = {1, 2, 3};
  ASSERT_QRT_OK(qrt_session_score(session, text.data(), text.size(), losses));
  EXPECT_GT(nextPrompt(), first);
  qrt_generation_free(answer);
}

TEST_F(CChat, AnAnswerOutlivesItsConversation) {
  qrt_generation *answer = ask("a", 4);
  qrt_chat_free(chat);
  chat = nullptr;
  EXPECT_EQ(runAll(answer).tokens.size(), 4u);
  qrt_generation_free(answer);
}

TEST_F(CChat, ALongAnswerFillsTheContext) {
  qrt_generation *answer = ask("a", 1000);
  runAll(answer);
  readStats(answer);
  EXPECT_EQ(stats.stop, QRT_STOP_CONTEXT);
  qrt_generation_free(answer);
  qrt_generation *none = nullptr;
  EXPECT_EQ(qrt_chat_ask(chat, "a", 1, nullptr, &none), QRT_ERROR_INPUT);
  EXPECT_NE(std::string(qrt_last_error()).find("too many for the context"), std::string::npos);
}

TEST_F(CChat, FormatsAreKnownByName) {
  qrt_chat *other = nullptr;
  EXPECT_QRT_OK(qrt_chat_create(session, "chatml", nullptr, &other));
  qrt_chat_free(other);
  EXPECT_EQ(qrt_chat_create(session, "x", nullptr, &other), QRT_ERROR_INPUT);
  EXPECT_NE(std::string(qrt_last_error()).find("chatml"), std::string::npos);
}

} // namespace
