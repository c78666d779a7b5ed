//===- TemporariesTest.cpp - what killed writers leave --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Temporaries.h"
#include "quench-rt/Support/AtomicFile.h"

#include "Support/TempFolder.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

using namespace qrt;
using qrt::test::TempFolder;

namespace {

/// Leaves half a file as a process does that is killed while it writes `path`.
void leaveHalf(const std::string &path) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto file = AtomicFile::create(path);
    if (file.ok() && file->write("half").ok())
      ::raise(SIGKILL);
    ::_exit(1);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  ASSERT_TRUE(WIFSIGNALED(state));
}

TEST(Temporaries, TheNextWriterRemovesWhatAKilledOneLeft) {
  TempFolder folder;
  leaveHalf(folder.path("a"));
  EXPECT_EQ(folder.count(), 1u);
  ASSERT_TRUE(writeFileAtomically(folder.path("a"), "whole").ok());
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_EQ(TempFolder::read(folder.path("a")), "whole");
}

TEST(Temporaries, OnlyOfTheSameTarget) {
  TempFolder folder;
  for (const char *other : {"ab", "b", "a.tmp-1-1"})
    leaveHalf(folder.path(other));
  // Names that only look similar are somebody's files.
  for (const char *name :
       {"a.tmp-", "a.tmp-1", "a.tmp-1-", "a.tmp--1", "a.tmp-x-1", "a.tmp-1-2x", ".tmp-1-1"})
    folder.write(name, "mine");
  leaveHalf(folder.path("a"));
  EXPECT_EQ(folder.count(), 11u);
  removeLeftovers(folder.path("a"));
  EXPECT_EQ(folder.count(), 10u);
  removeAllLeftovers(folder.path(""));
  EXPECT_EQ(folder.count(), 7u);
}

TEST(Temporaries, WhatIsBeingWrittenStays) {
  TempFolder folder;
  auto file = AtomicFile::create(folder.path("a"));
  ASSERT_TRUE(file.ok());
  removeAllLeftovers(folder.path(""));
  ASSERT_TRUE(file->write("whole").ok());
  removeLeftovers(folder.path("a"));
  ASSERT_TRUE(file->commit().ok());
  removeAllLeftovers(folder.path(""));
  EXPECT_EQ(TempFolder::read(folder.path("a")), "whole");
}

TEST(Temporaries, FoldersToo) {
  TempFolder folder;
  const std::string left = temporaryName(folder.path("a")), held = temporaryName(folder.path("a"));
  for (const std::string &path : {left, held}) {
    ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
    ASSERT_TRUE(writeFileAtomically(path + "/inside", "x").ok());
  }
  int fd = ::open(held.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(lockTemporary(fd, held));
  removeLeftovers(folder.path("a"));
  EXPECT_NE(::access(left.c_str(), F_OK), 0);
  EXPECT_EQ(TempFolder::read(held + "/inside"), "x");
  ::close(fd);
  // A link that is called like one is not followed.
  ASSERT_EQ(::symlink("a", temporaryName(folder.path("a")).c_str()), 0);
  removeAllLeftovers(folder.path(""));
  EXPECT_EQ(folder.count(), 1u);
}

TEST(Temporaries, AFileThatWasTakenForALeftoverIsNotLocked) {
  TempFolder folder;
  const std::string path = folder.write("a.tmp-1-1", "");
  int fd = ::open(path.c_str(), O_WRONLY);
  removeAllLeftovers(folder.path("")); // between the creation and the lock
  EXPECT_EQ(folder.count(), 0u);
  EXPECT_FALSE(lockTemporary(fd, path));
  folder.write("a.tmp-1-1", "somebody else's");
  EXPECT_FALSE(lockTemporary(fd, path));
  ::close(fd);
}

TEST(Temporaries, WritersAndCleanersDoNotCollide) {
  TempFolder folder;
  std::atomic<bool> stop{false};
  std::thread cleaner([&] {
    while (!stop)
      removeAllLeftovers(folder.path(""));
  });
  for (int i = 0; i < 500; ++i) {
    absl::Status status = writeFileAtomically(folder.path("a"), std::to_string(i));
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(TempFolder::read(folder.path("a")), std::to_string(i));
  }
  stop = true;
  cleaner.join();
  EXPECT_EQ(folder.count(), 1u);
}

} // namespace
