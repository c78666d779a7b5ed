//===- FilesTest.cpp - mapped and atomic files ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/MappedFile.h"

#include "Support/TempFolder.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qrt;
using qrt::test::TempFolder;

namespace {

TEST(MappedFile, ShowsTheContents) {
  TempFolder folder;
  auto file = MappedFile::open(folder.write("a", "hello"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(file->data()), file->size()), "hello");
  EXPECT_EQ(file->path(), folder.path("a"));
}

TEST(MappedFile, MovingKeepsTheAddress) {
  TempFolder folder;
  auto opened = MappedFile::open(folder.write("a", "hello"));
  ASSERT_TRUE(opened.ok());
  const uint8_t *address = opened->data();
  MappedFile moved = *std::move(opened);
  EXPECT_EQ(moved.data(), address);
  MappedFile assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.data(), address);
  EXPECT_EQ(assigned.size(), 5u);
  EXPECT_EQ(assigned.data()[4], 'o');
}

TEST(MappedFile, EmptyFileIsFine) {
  TempFolder folder;
  auto file = MappedFile::open(folder.write("empty", ""));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->size(), 0u);
}

TEST(MappedFile, MissingFileIsNamed) {
  auto file = MappedFile::open("/no/such/file");
  EXPECT_EQ(file.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(file.status().message(), "/no/such/file: cannot open: No such file or directory");
}

TEST(MappedFile, OnlyRegularFiles) {
  TempFolder folder;
  EXPECT_EQ(MappedFile::open(folder.path("")).status().code(),
            absl::StatusCode::kFailedPrecondition);
  // A pipe nobody writes to must not block either.
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(folder.path("pipe")).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(AtomicFile, AppearsOnCommit) {
  TempFolder folder;
  std::string path = folder.write("a", "old");
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE(file->write("new ").ok());
  ASSERT_TRUE(file->write("text").ok());
  EXPECT_EQ(TempFolder::read(path), "old");
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(TempFolder::read(path), "new text");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TempFolder folder;
  {
    auto file = AtomicFile::create(folder.path("a"));
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE(file->write("half").ok());
    AtomicFile moved = *std::move(file); // the moved-from object removes nothing
    EXPECT_EQ(folder.count(), 1u);
  }
  EXPECT_EQ(folder.count(), 0u);
}

TEST(AtomicFile, TwoWritersDoNotDisturbEachOther) {
  TempFolder folder;
  auto first = AtomicFile::create(folder.path("a"));
  auto second = AtomicFile::create(folder.path("a"));
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(first->write("first").ok());
  ASSERT_TRUE(second->write("second").ok());
  ASSERT_TRUE(second->commit().ok());
  EXPECT_EQ(TempFolder::read(folder.path("a")), "second");
  ASSERT_TRUE(first->commit().ok());
  EXPECT_EQ(TempFolder::read(folder.path("a")), "first");
}

TEST(AtomicFile, NoUseAfterCommit) {
  TempFolder folder;
  auto file = AtomicFile::create(folder.path("a"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(file->write("x").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(file->commit().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(AtomicFile, MissingFolderIsAnError) {
  TempFolder folder;
  std::string path = folder.path("none/a");
  absl::Status status = writeFileAtomically(path, "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find("none/a: cannot create"), absl::string_view::npos) << status;
}

TEST(AtomicFile, ReplacesTheFileBehindALink) {
  TempFolder folder;
  folder.write("a", "old");
  ASSERT_EQ(::symlink("a", folder.path("link").c_str()), 0);
  ASSERT_TRUE(writeFileAtomically(folder.path("link"), "new").ok());
  struct stat info;
  ASSERT_EQ(::lstat(folder.path("link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  auto file = MappedFile::open(folder.path("a"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(file->data()), file->size()), "new");
  EXPECT_EQ(folder.count(), 2u);
}

TEST(AtomicFile, WritesIntoAPipe) {
  TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  int reader = ::open(folder.path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(writeFileAtomically(folder.path("pipe"), "hello").ok());
  char text[8];
  EXPECT_EQ(::read(reader, text, sizeof(text)), 5);
  ::close(reader);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, AFolderIsAnError) {
  TempFolder folder;
  ASSERT_EQ(::mkdir(folder.path("taken").c_str(), 0700), 0);
  folder.write("taken/inside", "x");
  EXPECT_FALSE(writeFileAtomically(folder.path("taken"), "x").ok());
  EXPECT_EQ(folder.count(), 1u);
}

} // namespace
