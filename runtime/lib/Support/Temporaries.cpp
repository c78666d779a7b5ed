//===- Temporaries.cpp - things being written, and what became of them ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Temporaries.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

using namespace qrt;
namespace fs = std::filesystem;

static constexpr std::string_view kMark = ".tmp-";

std::string qrt::temporaryName(const std::string &target) {
  static std::atomic<unsigned> counter{0};
  return target + std::string(kMark) + std::to_string(::getpid()) + "-" +
         std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
}

/// The target that a temporary name belongs to; empty for other names.
static std::string_view targetOf(std::string_view name) {
  const size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos)
    return {};
  std::string_view rest = name.substr(mark + kMark.size());
  const size_t dash = rest.find('-');
  auto isNumber = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (dash == std::string_view::npos || !isNumber(rest.substr(0, dash)) ||
      !isNumber(rest.substr(dash + 1)))
    return {};
  return name.substr(0, mark);
}

bool qrt::isTemporaryName(std::string_view name) { return !targetOf(name).empty(); }

static bool isStillAt(int fd, const std::string &path) {
  struct stat held, found;
  return ::fstat(fd, &held) == 0 && ::lstat(path.c_str(), &found) == 0 &&
         held.st_dev == found.st_dev && held.st_ino == found.st_ino;
}

bool qrt::lockTemporary(int fd, const std::string &path) {
  while (::flock(fd, LOCK_EX) != 0)
    if (errno != EINTR)
      return true;
  return isStillAt(fd, path);
}

static void removeIfLeft(const std::string &path) {
  // Not blocking, and no link: only what a writer makes is opened.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0)
    return;
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && isStillAt(fd, path)) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  ::close(fd);
}

/// Of one target, or with an empty name of all.
static void removeLeftoversIn(const std::string &folder, std::string_view target) {
  // Names first: a folder that changes while it is listed may be listed wrongly.
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    std::string_view found = targetOf(name);
    if (!found.empty() && (target.empty() || found == target))
      names.push_back(std::move(name));
  }
  for (const std::string &name : names)
    removeIfLeft(folder + "/" + name);
}

void qrt::removeLeftovers(const std::string &target) {
  const size_t slash = target.rfind('/');
  if (slash == std::string::npos)
    return removeLeftoversIn(".", target);
  removeLeftoversIn(target.substr(0, slash + 1), std::string_view(target).substr(slash + 1));
}

void qrt::removeAllLeftovers(const std::string &folder) { removeLeftoversIn(folder, {}); }
