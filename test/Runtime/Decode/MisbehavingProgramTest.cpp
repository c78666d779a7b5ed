//===- MisbehavingProgramTest.cpp - a session checks what code reports ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"
#include "SyntheticSource.h"

#include "quench-rt/Decode/Session.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::test;

namespace {

struct Case {
  int fault; ///< see FakeModel.c
  const char *greedy;
  const char *round;
};

class MisbehavingProgram : public testing::TestWithParam<Case> {};

TEST_P(MisbehavingProgram, IsNamed) {
  FakeModel model = makeFakeModel(1, /*periodic=*/true, GetParam().fault);
  auto session = *Session::create(*model.executable, {64, 0});
  EXPECT_EQ(std::string(session->greedy({1, 2}).status().message()), GetParam().greedy);

  session = *Session::create(*model.executable, {64, 0});
  SyntheticSource source({2, 3, 4}, [](int64_t) { return SyntheticSource::Plan{2, 2}; });
  source.begin({1});
  EXPECT_EQ(std::string(session->round(1, 2, source).status().message()), GetParam().round);
  // Whatever happened, the session can start anew.
  EXPECT_TRUE(session->truncate(0).ok());
}

INSTANTIATE_TEST_SUITE_P(
    Faults, MisbehavingProgram,
    testing::Values(
        Case{0, "", ""},
        Case{1, "the program's entry 'greedy' committed 1000 positions, expected 1 to 2",
             "the program's entry 'round' committed 1000 positions, expected 1 to 3"},
        Case{2, "the program's entry 'greedy' committed 0 positions, expected 1 to 2",
             "the program's entry 'round' committed 0 positions, expected 1 to 3"},
        Case{3,
             "the program's entry 'greedy' computed a winning logit of nan in row 0: the numbers "
             "overflowed",
             "the program's entry 'round' computed a winning logit of nan in row 0: the numbers "
             "overflowed"},
        Case{4, "the program's entry 'greedy' emitted token 32 in row 0, expected 0 to 31",
             "the program's entry 'round' emitted token 32 in row 0, expected 0 to 31"},
        Case{5, "",
             "the program's entry 'round' accepted 3 of 2 candidates, emitted 3 tokens and "
             "committed 3 positions"},
        Case{6, "", "the program's entry 'round' did not return its last token as the pending one"},
        Case{7,
             "the program's entry 'greedy' committed 2 positions and returned 3 ids and 3 logits "
             "for 2 rows",
             ""}));

TEST(MisbehavingPrefill, IsNamed) {
  FakeModel model = makeFakeModel(1, false, 1);
  auto session = *Session::create(*model.executable, {64, 0});
  EXPECT_EQ(session->prefill({1, 2, 3}).message(),
            "the program's entry 'prefill' committed 1000 positions, expected 1 to 3");
  EXPECT_EQ(session->length(), 0);
}

} // namespace
