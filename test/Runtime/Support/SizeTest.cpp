//===- SizeTest.cpp - sizes as people write them ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Size.h"

#include "quench-rt/Support/Errors.h"

#include "gtest/gtest.h"

using namespace qrt;

namespace {

TEST(Size, HasUnits) {
  EXPECT_EQ(*parseSize("1000", ""), 1000u);
  EXPECT_EQ(*parseSize("2k", ""), 2000u);
  EXPECT_EQ(*parseSize("1.5G", ""), 1500000000u);
  EXPECT_EQ(*parseSize("3MB", ""), 3000000u);
  for (const char *text : {"", "G", "-1", "1X", "nan", "inf", "1e300"})
    EXPECT_EQ(exitStatusOf(parseSize(text, "limit").status()), ExitStatus::Usage) << text;
}

TEST(Size, IsWrittenWithOneDigit) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(999), "999 B");
  EXPECT_EQ(formatBytes(1000), "1.0 kB");
  EXPECT_EQ(formatBytes(999949), "999.9 kB");
  EXPECT_EQ(formatBytes(999950), "1.0 MB");
  EXPECT_EQ(formatBytes(98362432), "98.4 MB");
  EXPECT_EQ(formatBytes(~uint64_t(0)), "18.4 EB");
}

} // namespace
