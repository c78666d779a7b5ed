//===- ThreadsTest.cpp - sessions of one model in several threads ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CApi/ModelFixture.h"

#include <thread>

using namespace qrt::test;

namespace {

class CThreads : public ModelFixture {};

TEST_F(CThreads, SessionsDoNotDisturbEachOther) {
  std::vector<Ids> expected;
  for (int32_t i = 0; i < 4; ++i)
    expected.push_back(generate({i, i + 1, 5}, tokens(40)).tokens);
  std::vector<std::thread> threads;
  for (int32_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      qrt_session *own = nullptr;
      ASSERT_QRT_OK(qrt_session_create(model, 0, &own));
      for (int repeat = 0; repeat < 3; ++repeat) {
        qrt_generation *generation = start(own, {i, i + 1, 5}, tokens(40));
        EXPECT_EQ(runAll(generation).tokens, expected[static_cast<size_t>(i)]);
        qrt_generation_free(generation);
      }
      qrt_session_free(own);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CThreads, AnotherThreadCancels) {
  qrt_generation *generation = start(session, {1, 2, 3}, tokens(60));
  std::thread canceller([&] { qrt_session_cancel(session); });
  runAll(generation);
  canceller.join();
  qrt_generation_free(generation);
}

} // namespace
