//===- ScoringTest.cpp - scores through the C API --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CApi/ModelFixture.h"

#include <cmath>

using namespace qrt::test;

namespace {

class CScoring : public ModelFixture {};

// What is generated greedily is likelier than anything else that could follow.
TEST_F(CScoring, LossesAreThoseOfTheNextToken) {
  const Ids prompt = {1, 2, 3};
  qrt_generate_options options = tokens(1);
  options.logprobs = 1;
  const Whole next = generate(prompt, options);
  double best = 0;
  for (int32_t token = 0; token < 32; ++token) {
    const Ids text = {1, 2, 3, token};
    double losses[3];
    ASSERT_QRT_OK(qrt_session_score(session, text.data(), text.size(), losses));
    best += std::exp(-losses[2]);
    if (token == next.tokens[0])
      EXPECT_NEAR(losses[2], -next.logprobs[0], 1e-9);
    else
      EXPECT_GE(losses[2], -next.logprobs[0]);
  }
  EXPECT_NEAR(best, 1, 1e-9) << "probabilities";
}

TEST_F(CScoring, PerplexityIsTheMeanOfWindows) {
  Ids text;
  for (int32_t i = 0; i < 40; ++i)
    text.push_back(i * i % 23);
  qrt_perplexity result = QRT_PERPLEXITY_INIT;
  ASSERT_QRT_OK(qrt_session_perplexity(session, text.data(), text.size(), 10, &result));
  EXPECT_EQ(result.tokens, 16);
  EXPECT_GT(result.standard_error, 0);
  double sum = 0;
  for (size_t window = 0; window < 4; ++window) {
    Ids here(text.begin() + static_cast<ptrdiff_t>(window * 10),
             text.begin() + static_cast<ptrdiff_t>(window * 10 + 10));
    here[0] = 27; // the beginning of text
    double losses[9];
    ASSERT_QRT_OK(qrt_session_score(session, here.data(), here.size(), losses));
    for (size_t i = 5; i < 9; ++i)
      sum += losses[i];
  }
  EXPECT_NEAR(result.perplexity, std::exp(sum / 16), 1e-9);
  EXPECT_EQ(qrt_session_perplexity(session, text.data(), text.size(), 100, &result),
            QRT_ERROR_INPUT);
}

TEST_F(CScoring, IsCancelled) {
  const Ids text(64, 1);
  std::vector<double> losses(63);
  qrt_session_cancel(session);
  EXPECT_EQ(qrt_session_score(session, text.data(), text.size(), losses.data()), QRT_CANCELLED);
  EXPECT_QRT_OK(qrt_session_score(session, text.data(), text.size(), losses.data()));
}

} // namespace
