//===- InputTest.cpp - id lists, sizes and files from the command line -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Input.h"

#include "Errors.h"

#include "quench-rt/Support/AtomicFile.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::cli;

namespace {

TEST(Input, IdsAreSeparatedByAnything) {
  EXPECT_EQ(*parseIds("1,2,3", "--tokens"), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(*parseIds("[1, 2,\n3]", "--tokens"), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(*parseIds(" 7 8 ", "--tokens"), (std::vector<int32_t>{7, 8}));
  EXPECT_TRUE(parseIds("", "--tokens")->empty());
}

TEST(Input, OtherIdsAreUsageErrors) {
  for (const char *text : {"x", "1,-2", "1.5", "99999999999", "1;2"}) {
    absl::Status status = parseIds(text, "--tokens").status();
    EXPECT_EQ(exitStatusOf(status), ExitStatus::Usage) << text;
    EXPECT_NE(status.message().find("--tokens"), absl::string_view::npos);
  }
}

TEST(Input, SizesHaveUnits) {
  EXPECT_EQ(*parseSize("1000", ""), 1000u);
  EXPECT_EQ(*parseSize("2k", ""), 2000u);
  EXPECT_EQ(*parseSize("1.5G", ""), 1500000000u);
  EXPECT_EQ(*parseSize("3MB", ""), 3000000u);
  for (const char *text : {"", "G", "-1", "1X", "nan", "inf", "1e300"})
    EXPECT_EQ(exitStatusOf(parseSize(text, "limit").status()), ExitStatus::Usage) << text;
}

TEST(Input, FilesAreReadWholeUpToALimit) {
  std::string path = testing::TempDir() + "quench-input-test";
  std::string text("a\0b\n", 4);
  ASSERT_TRUE(writeFileAtomically(path, text).ok());
  EXPECT_EQ(*readTextFile(path), text);
  EXPECT_FALSE(readTextFile(path, 3).ok());
  EXPECT_EQ(readTextFile(path + "-not").status().code(), absl::StatusCode::kNotFound);
}

} // namespace
