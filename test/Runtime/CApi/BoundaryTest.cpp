//===- BoundaryTest.cpp - errors, versions and sizes of structures ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CApi/ModelFixture.h"

#include <thread>

using namespace qrt::test;

extern "C" size_t sum_of_initialized_sizes(void);

namespace {

class Boundary : public ModelFixture {};

TEST(Version, IsThatOfTheHeader) { EXPECT_EQ(qrt_version(), QRT_VERSION_NUMBER); }

TEST(Header, SizesAreThoseOfCpp) {
  EXPECT_EQ(sum_of_initialized_sizes(), sizeof(qrt_model_options) + sizeof(qrt_generate_options) +
                                            sizeof(qrt_piece) + sizeof(qrt_generation_stats) +
                                            sizeof(qrt_perplexity) + sizeof(qrt_compile_options) +
                                            sizeof(qrt_program_options));
}

TEST(Errors, AreKeptForEachThread) {
  qrt_model *model = nullptr;
  EXPECT_EQ(qrt_model_load("/nowhere", nullptr, &model), QRT_ERROR_INPUT);
  const std::string message = qrt_last_error();
  EXPECT_NE(message.find("/nowhere"), std::string::npos) << message;
  std::thread([&] {
    EXPECT_STREQ(qrt_last_error(), "");
    EXPECT_EQ(qrt_model_load("/elsewhere", nullptr, &model), QRT_ERROR_INPUT);
  }).join();
  EXPECT_EQ(qrt_last_error(), message);
  EXPECT_EQ(model, nullptr) << "results of failed calls are left alone";
}

TEST(Errors, NullIsRefused) {
  qrt_model *model = nullptr;
  qrt_session *session = nullptr;
  EXPECT_EQ(qrt_model_load(nullptr, nullptr, &model), QRT_ERROR_USAGE);
  EXPECT_EQ(qrt_model_load("x", nullptr, nullptr), QRT_ERROR_USAGE);
  EXPECT_EQ(qrt_session_create(nullptr, 0, &session), QRT_ERROR_USAGE);
  EXPECT_EQ(qrt_compile("x", nullptr, nullptr), QRT_ERROR_USAGE);
  EXPECT_STREQ(qrt_last_error(), "package is NULL");
}

TEST(Errors, NullIsFreed) {
  qrt_free(nullptr);
  qrt_model_free(nullptr);
  qrt_session_free(nullptr);
  qrt_generation_free(nullptr);
  qrt_chat_free(nullptr);
  qrt_program_free(nullptr);
  qrt_tokenizer_free(nullptr);
}

// Without trust, and without a compiler beside this test, there is nothing to run.
TEST_F(Boundary, WhatTheEnvironmentLacksIsItsOwnStatus) {
  qrt_model *other = nullptr;
  std::string notes;
  qrt_model_options options = QRT_MODEL_OPTIONS_INIT;
  options.note_data = &notes;
  options.note = [](void *data, const char *line) { *static_cast<std::string *>(data) += line; };
  EXPECT_EQ(qrt_model_load((folder / "package").c_str(), &options, &other), QRT_ERROR_ENVIRONMENT);
  EXPECT_NE(std::string(qrt_last_error()).find("libQuenchCompiler.so"), std::string::npos);
  EXPECT_NE(notes.find("not made here"), std::string::npos) << notes;
}

TEST_F(Boundary, ACallerMayKnowFewerMembers) {
  struct {
    size_t size;
    int64_t max_tokens;
    int32_t ignore_end, logprobs;
  } old = {sizeof(old), 3, 1, 0};
  const auto *options = reinterpret_cast<const qrt_generate_options *>(&old);
  const Ids prompt = {1, 2};
  qrt_generation *generation = nullptr;
  ASSERT_QRT_OK(qrt_session_generate(session, prompt.data(), 2, options, &generation));
  EXPECT_EQ(runAll(generation).tokens, generate(prompt, tokens(3)).tokens);

  // And be told fewer, with nothing written behind them.
  struct {
    size_t size;
    qrt_stop stop;
    int64_t prompt_tokens, behind;
  } few = {offsetof(qrt_generation_stats, cached_tokens), QRT_STOP_NOT_YET, 0, 77};
  ASSERT_QRT_OK(
      qrt_generation_get_stats(generation, reinterpret_cast<qrt_generation_stats *>(&few)));
  EXPECT_EQ(few.size, offsetof(qrt_generation_stats, cached_tokens));
  EXPECT_EQ(few.stop, QRT_STOP_LENGTH);
  EXPECT_EQ(few.prompt_tokens, 2);
  EXPECT_EQ(few.behind, 77);
  qrt_generation_free(generation);
}

TEST_F(Boundary, OptionsOfALaterVersionAreRefused) {
  qrt_generate_options options = tokens(3);
  qrt_generation *generation = nullptr;
  const Ids prompt = {1, 2};
  for (size_t size : {size_t(0), sizeof(options) + 8}) {
    options.size = size;
    EXPECT_EQ(qrt_session_generate(session, prompt.data(), 2, &options, &generation),
              QRT_ERROR_USAGE);
    EXPECT_NE(std::string(qrt_last_error()).find("qrt_generate_options"), std::string::npos);
  }
}

} // namespace
