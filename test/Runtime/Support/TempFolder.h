//===- TempFolder.h - a folder that a test may fill -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_RUNTIME_SUPPORT_TEMPFOLDER_H
#define QUENCH_TEST_RUNTIME_SUPPORT_TEMPFOLDER_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace qrt::test {

/// Made new for each object, removed with everything in it.
class TempFolder {
public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "quench-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      ADD_FAILURE() << "cannot make a temporary folder";
    folder = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;

  std::string path(std::string_view name) const { return folder + "/" + std::string(name); }

  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view contents) const {
    std::ofstream out(path(name), std::ios::binary);
    out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    EXPECT_TRUE(out.good()) << name;
    return path(name);
  }

  /// How many entries the folder has.
  size_t count() const {
    std::filesystem::directory_iterator begin(folder);
    return static_cast<size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

  static std::string read(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

private:
  std::string folder;
};

} // namespace qrt::test

#endif // QUENCH_TEST_RUNTIME_SUPPORT_TEMPFOLDER_H
