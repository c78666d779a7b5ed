//===- ModelPathTest.cpp - what the argument MODEL stands for -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/ModelPath.h"

#include "FakeModel.h"

#include "gtest/gtest.h"

#include <sys/stat.h>

using namespace qrt;
using namespace qrt::test;

namespace {

TEST(ModelPath, FilesAreKnownByTheirFirstBytes) {
  TemporaryFolder folder;
  writeFile(folder / "model", {'G', 'G', 'U', 'F', 3});
  writeFile(folder / "text", {'G', 'G', 'U'});
  EXPECT_EQ(*classifyModel(folder / "model"), ModelKind::Gguf);
  EXPECT_EQ(classifyModel(folder / "text").status().message(),
            folder / "text" + ": does not start with GGUF, expected a package folder or a GGUF "
                              "file");
  EXPECT_EQ(classifyModel(folder / "none").status().code(), absl::StatusCode::kNotFound);
}

TEST(ModelPath, APipeIsNotWaitedFor) {
  TemporaryFolder folder;
  for (const char *name : {"pipe", "pipe.gguf", "pipe.mlir"}) {
    ASSERT_EQ(mkfifo((folder / name).c_str(), 0600), 0);
    EXPECT_EQ(classifyModel(folder / name).status().message(),
              folder / name + ": not a regular file, expected a package folder or a GGUF file");
    EXPECT_FALSE(classifyModel(folder / name, /*programs=*/true).ok());
  }
}

} // namespace
