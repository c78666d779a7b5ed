//===- ModelFixture.h - a model behind the C API ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_RUNTIME_CAPI_MODELFIXTURE_H
#define QUENCH_TEST_RUNTIME_CAPI_MODELFIXTURE_H

#include "FakeModel.h"
#include "Model/FakePackage.h"

#include "quench-rt/quench.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace qrt::test {

/// Expects QRT_OK, and shows the message otherwise.
#define EXPECT_QRT_OK(call) EXPECT_EQ(call, QRT_OK) << qrt_last_error()
#define ASSERT_QRT_OK(call) ASSERT_EQ(call, QRT_OK) << qrt_last_error()

using Ids = std::vector<int32_t>;

/// What a whole generation brought.
struct Whole {
  std::string text;
  Ids tokens;
  std::vector<double> logprobs;
  int64_t pieces = 0;
};

inline Whole runAll(qrt_generation *generation) {
  Whole whole;
  qrt_piece piece = QRT_PIECE_INIT;
  while (!piece.done) {
    if (qrt_generation_next(generation, &piece) != QRT_OK) {
      ADD_FAILURE() << qrt_last_error();
      break;
    }
    whole.text.append(piece.text, piece.text_size);
    whole.tokens.insert(whole.tokens.end(), piece.tokens, piece.tokens + piece.num_tokens);
    if (piece.logprobs)
      whole.logprobs.insert(whole.logprobs.end(), piece.logprobs,
                            piece.logprobs + piece.num_tokens);
    ++whole.pieces;
  }
  return whole;
}

class ModelFixture : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("QUENCH_CACHE", (folder / "cache").c_str(), 1);
    writeFakePackage(folder / "package", periodic);
    qrt_model_options options = QRT_MODEL_OPTIONS_INIT;
    options.threads = 2;
    options.trust_code = 1;
    ASSERT_QRT_OK(qrt_model_load((folder / "package").c_str(), &options, &model));
    ASSERT_QRT_OK(qrt_session_create(model, 0, &session));
  }
  void TearDown() override {
    qrt_session_free(session);
    qrt_model_free(model);
    ::unsetenv("QUENCH_CACHE");
  }

  static qrt_generate_options tokens(int64_t count) {
    qrt_generate_options options = QRT_GENERATE_OPTIONS_INIT;
    options.max_tokens = count;
    options.ignore_end = 1;
    return options;
  }

  static qrt_generation *start(qrt_session *session, const Ids &prompt,
                               const qrt_generate_options &options) {
    qrt_generation *generation = nullptr;
    EXPECT_QRT_OK(
        qrt_session_generate(session, prompt.data(), prompt.size(), &options, &generation));
    return generation;
  }

  Whole generate(const Ids &prompt, const qrt_generate_options &options) {
    qrt_generation *generation = start(session, prompt, options);
    Whole whole = runAll(generation);
    stats = QRT_GENERATION_STATS_INIT;
    EXPECT_QRT_OK(qrt_generation_get_stats(generation, &stats));
    qrt_generation_free(generation);
    return whole;
  }

  bool periodic = false;
  TemporaryFolder folder;
  qrt_model *model = nullptr;
  qrt_session *session = nullptr;
  qrt_generation_stats stats = QRT_GENERATION_STATS_INIT;
};

} // namespace qrt::test

#endif // QUENCH_TEST_RUNTIME_CAPI_MODELFIXTURE_H
