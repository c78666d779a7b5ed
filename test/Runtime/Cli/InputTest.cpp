//===- InputTest.cpp - id lists and files from the command line ------------===//
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

TEST(Input, FilesAreReadWholeUpToALimit) {
  std::string path = testing::TempDir() + "quench-input-test";
  std::string text("a\0b\n", 4);
  ASSERT_TRUE(writeFileAtomically(path, text).ok());
  EXPECT_EQ(*readTextFile(path), text);
  EXPECT_FALSE(readTextFile(path, 3).ok());
  EXPECT_EQ(readTextFile(path + "-not").status().code(), absl::StatusCode::kNotFound);
}

} // namespace
