//===- OutputTest.cpp - sizes, tables and JSON -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "gtest/gtest.h"

using namespace qrt::cli;

namespace {

TEST(Output, NumbersAreAlignedToTheRight) {
  EXPECT_EQ(formatTable({{"name", "size"}, {"a", "1"}, {"long one", "12345"}}),
            "name       size\n"
            "a             1\n"
            "long one  12345\n");
  EXPECT_EQ(formatTable({}), "");
}

TEST(Output, JsonKeepsTheOrderAndIsUtf8) {
  testing::internal::CaptureStdout();
  printJson({{"zeta", 1}, {"alpha", "a\xff"}});
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{\"zeta\":1,\"alpha\":\"a\xef\xbf\xbd\"}\n");
}

} // namespace
