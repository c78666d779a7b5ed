//===- ErrorsTest.cpp - messages on standard error --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include "gtest/gtest.h"

#include <string>

using namespace qrt;
using namespace qrt::cli;

namespace {

TEST(Errors, AreOneLine) {
  testing::internal::CaptureStderr();
  printError("first\n  second\nthird\tand \x1b[31m\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "quench-run: error: first; second; third?and ?[31m\n");
}

} // namespace
