//===- CacheFolderTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/CacheFolder.h"

#include "Support/TempFolder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <sys/stat.h>

using namespace qrt;
using qrt::test::TempFolder;

namespace {

/// Sets the three variables that matter, and restores them.
class CacheFolder : public ::testing::Test {
protected:
  static constexpr const char *kNames[] = {"QUENCH_CACHE", "XDG_CACHE_HOME", "HOME"};

  void SetUp() override {
    for (const char *name : kNames) {
      const char *value = std::getenv(name);
      saved[name] = value ? std::optional<std::string>(value) : std::nullopt;
      ::unsetenv(name);
    }
  }
  void TearDown() override {
    for (auto &[name, value] : saved)
      value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }
  std::string path() {
    auto result = cacheFolderPath();
    return result.ok() ? *result : result.status().ToString();
  }

private:
  std::map<const char *, std::optional<std::string>> saved;
};

TEST_F(CacheFolder, FollowsTheVariablesInOrder) {
  ::setenv("HOME", "/home/u", 1);
  EXPECT_EQ(path(), "/home/u/.cache/quench");
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(path(), "/x/quench");
  ::setenv("QUENCH_CACHE", "/own", 1);
  EXPECT_EQ(path(), "/own");
}

TEST_F(CacheFolder, RelativeAndEmptyValuesAreIgnored) {
  ::setenv("HOME", "/home/u", 1);
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(path(), "/home/u/.cache/quench");
  ::setenv("XDG_CACHE_HOME", "", 1);
  ::setenv("QUENCH_CACHE", "", 1);
  EXPECT_EQ(path(), "/home/u/.cache/quench");
}

TEST_F(CacheFolder, WithoutAnyVariableSaysWhatToSet) {
  auto result = cacheFolderPath();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(result.status().message().find("QUENCH_CACHE"), absl::string_view::npos);
}

TEST_F(CacheFolder, IsCreatedForTheUserOnly) {
  TempFolder folder;
  ::setenv("QUENCH_CACHE", folder.path("a/b//c/").c_str(), 1);
  for (int i = 0; i < 2; ++i) { // the second time it exists
    auto result = cacheFolder();
    ASSERT_TRUE(result.ok()) << result.status();
    struct stat info;
    ASSERT_EQ(::stat(result->c_str(), &info), 0);
    EXPECT_TRUE(S_ISDIR(info.st_mode));
    EXPECT_EQ(info.st_mode & 077, 0u);
  }
}

TEST_F(CacheFolder, AFileInTheWayIsAnError) {
  TempFolder folder;
  ::setenv("QUENCH_CACHE", folder.write("file", "x").c_str(), 1);
  EXPECT_FALSE(cacheFolder().ok());
  ::setenv("QUENCH_CACHE", folder.path("file/below").c_str(), 1);
  EXPECT_FALSE(cacheFolder().ok());
}

} // namespace
