//===- OutputTest.cpp - sizes, tables and JSON -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "gtest/gtest.h"

using namespace qrt::cli;

namespace {

TEST(Output, Bytes) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(999), "999 B");
  EXPECT_EQ(formatBytes(1000), "1.0 kB");
  EXPECT_EQ(formatBytes(999949), "999.9 kB");
  EXPECT_EQ(formatBytes(999950), "1.0 MB");
  EXPECT_EQ(formatBytes(98362432), "98.4 MB");
  EXPECT_EQ(formatBytes(~uint64_t(0)), "18.4 EB");
}

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
