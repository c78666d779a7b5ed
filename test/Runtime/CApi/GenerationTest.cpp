//===- GenerationTest.cpp - generations through the C API ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CApi/ModelFixture.h"

#include <cmath>

using namespace qrt::test;

namespace {

class CGeneration : public ModelFixture {};

class CPeriodic : public ModelFixture {
protected:
  CPeriodic() { periodic = true; }
};

const Ids kPrompt = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

TEST_F(CGeneration, PiecesAreTheWhole) {
  const Whole whole = generate(kPrompt, tokens(20));
  EXPECT_EQ(whole.tokens.size(), 20u);
  EXPECT_GT(whole.pieces, 2) << "the prompt alone takes two steps";
  EXPECT_EQ(stats.stop, QRT_STOP_LENGTH);
  EXPECT_EQ(stats.prompt_tokens, 12);
  EXPECT_EQ(stats.cached_tokens, 0);
  EXPECT_EQ(stats.tokens, 20);
  EXPECT_GT(stats.rounds, 0);
  EXPECT_GT(stats.prompt_seconds, 0);
  EXPECT_GT(stats.decode_seconds, 0);

  char *text = nullptr;
  size_t size = 0;
  ASSERT_QRT_OK(qrt_tokenizer_decode(qrt_model_tokenizer(model), whole.tokens.data(),
                                     whole.tokens.size(), QRT_DECODE_CONTINUES, &text, &size));
  EXPECT_EQ(std::string(text, size), whole.text);
  qrt_free(text);

  const Whole again = generate(kPrompt, tokens(20));
  EXPECT_EQ(again.tokens, whole.tokens);
  EXPECT_EQ(stats.cached_tokens, 11);
}

TEST_F(CPeriodic, DraftsChangeTheSpeedOnly) {
  const Ids prompt = {0, 1, 2, 3, 4, 5, 0, 1, 2};
  qrt_generate_options options = tokens(30);
  const Whole drafted = generate(prompt, options);
  EXPECT_GT(stats.accepted, 10);
  EXPECT_LT(stats.rounds, 20);
  options.speculation = QRT_SPECULATION_OFF;
  const Whole plain = generate(prompt, options);
  EXPECT_EQ(stats.drafted, 0);
  EXPECT_EQ(stats.rounds, 30);
  EXPECT_EQ(plain.tokens, drafted.tokens);
}

TEST_F(CPeriodic, StopsAndEndsAreTold) {
  const char *stops[] = {"zz", "de"};
  qrt_generate_options options = tokens(30);
  options.stops = stops;
  options.num_stops = 2;
  EXPECT_EQ(generate({0, 1}, options).text, "c");
  EXPECT_EQ(stats.stop, QRT_STOP_STRING);

  options = tokens(-1);
  generate({0, 1}, options);
  EXPECT_EQ(stats.stop, QRT_STOP_CONTEXT);
  EXPECT_EQ(stats.tokens + stats.prompt_tokens, qrt_model_context_length(model));

  // Nothing but the token that ends a text is left.
  std::vector<qrt_logit_bias> biases;
  for (int32_t token = 0; token < 32; ++token)
    if (!qrt_tokenizer_is_end(qrt_model_tokenizer(model), token))
      biases.push_back({token, -INFINITY});
  ASSERT_LT(biases.size(), 32u);
  options.ignore_end = 0;
  options.biases = biases.data();
  options.num_biases = biases.size();
  EXPECT_EQ(generate({0, 1}, options).text, "");
  EXPECT_EQ(stats.stop, QRT_STOP_END);
}

TEST_F(CGeneration, TheSeedDecides) {
  qrt_generate_options options = tokens(24);
  options.temperature = 5;
  options.top_k = 0;
  options.top_p = 1;
  options.min_p = 0;
  options.logprobs = 1;
  options.seed = 1;
  const Whole one = generate(kPrompt, options);
  EXPECT_EQ(one.logprobs.size(), 24u);
  for (double logprob : one.logprobs)
    EXPECT_LT(logprob, 0);
  EXPECT_EQ(generate(kPrompt, options).tokens, one.tokens);
  options.seed = 2;
  EXPECT_NE(generate(kPrompt, options).tokens, one.tokens);
}

TEST_F(CGeneration, WhatCannotWorkIsSaid) {
  const auto refused = [&](const Ids &prompt, const qrt_generate_options &options,
                           const char *mention) {
    qrt_generation *generation = nullptr;
    EXPECT_NE(qrt_session_generate(session, prompt.data(), prompt.size(), &options, &generation),
              QRT_OK);
    EXPECT_NE(std::string(qrt_last_error()).find(mention), std::string::npos) << qrt_last_error();
    EXPECT_EQ(generation, nullptr);
  };
  refused({1, 32}, tokens(1), "token 32 at position 1");
  refused({1}, tokens(64), "exceed the context of 64");
  qrt_generate_options options = tokens(-2);
  refused({1}, options, "max_tokens: found -2");
  options = tokens(1);
  options.temperature = -1;
  refused({1}, options, "temp");
  options = tokens(1);
  options.draft_tokens = 8;
  refused({1}, options, "draft_tokens: found 8");
  options = tokens(1);
  options.speculation = 3;
  refused({1}, options, "speculation: found 3");
  const char *empty = "";
  options = tokens(1);
  options.stops = &empty;
  options.num_stops = 1;
  refused({1}, options, "stops");
  qrt_session *other = nullptr;
  EXPECT_NE(qrt_session_create(model, 65, &other), QRT_OK);
  EXPECT_STREQ(qrt_last_error(), "context_length: found 65, but the model's context is 64");
  EXPECT_NE(qrt_session_create(model, -1, &other), QRT_OK);
}

TEST_F(CGeneration, CancellingEndsItOnce) {
  qrt_generation *generation = start(session, kPrompt, tokens(30));
  qrt_piece piece = QRT_PIECE_INIT;
  for (int i = 0; i < 4; ++i)
    ASSERT_QRT_OK(qrt_generation_next(generation, &piece));
  ASSERT_FALSE(piece.done);
  qrt_session_cancel(session);
  ASSERT_QRT_OK(qrt_generation_next(generation, &piece));
  EXPECT_TRUE(piece.done);
  ASSERT_QRT_OK(qrt_generation_get_stats(generation, &stats));
  EXPECT_EQ(stats.stop, QRT_STOP_CANCELLED);
  const int64_t before = stats.tokens;
  ASSERT_QRT_OK(qrt_generation_next(generation, &piece));
  EXPECT_TRUE(piece.done) << "and so it stays";
  EXPECT_EQ(piece.num_tokens, 0u);
  qrt_generation_free(generation);
  EXPECT_GT(generate(kPrompt, tokens(30)).tokens.size(), static_cast<size_t>(before));
  EXPECT_EQ(stats.stop, QRT_STOP_LENGTH) << "the request was for one generation";
}

TEST_F(CGeneration, AnotherOneEndsTheFirst) {
  qrt_generation *first = start(session, kPrompt, tokens(30));
  qrt_piece piece = QRT_PIECE_INIT;
  for (int i = 0; i < 4; ++i)
    ASSERT_QRT_OK(qrt_generation_next(first, &piece));
  qrt_generation *second = start(session, kPrompt, tokens(5));
  ASSERT_QRT_OK(qrt_generation_next(first, &piece));
  EXPECT_TRUE(piece.done);
  ASSERT_QRT_OK(qrt_generation_get_stats(first, &stats));
  EXPECT_EQ(stats.stop, QRT_STOP_CANCELLED);
  EXPECT_GT(stats.tokens, 0);
  qrt_generation_free(first);
  EXPECT_EQ(runAll(second).tokens.size(), 5u) << "freeing the first left the second alone";
  qrt_generation_free(second);
}

TEST_F(CGeneration, HandlesMayBeFreedInAnyOrder) {
  qrt_generation *generation = start(session, kPrompt, tokens(5));
  qrt_model_free(model);
  qrt_session_free(session);
  model = nullptr;
  session = nullptr;
  EXPECT_EQ(runAll(generation).tokens.size(), 5u);
  qrt_generation_free(generation);
}

} // namespace
