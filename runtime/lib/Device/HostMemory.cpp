//===- HostMemory.cpp - how much memory the host has ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/HostMemory.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

using namespace qrt;

/// The kilobytes of a line of a file like /proc/meminfo, in bytes; none if there is no such
/// line.
static absl::optional<uint64_t> fieldOf(const std::string &path, absl::string_view name) {
  std::ifstream file(path);
  std::string field, unit;
  uint64_t kilobytes = 0;
  while (file >> field >> kilobytes && std::getline(file, unit))
    if (field == name)
      return kilobytes * 1024;
  return absl::nullopt;
}

/// A number in a file; none for "max" and for no file.
static absl::optional<uint64_t> numberIn(const std::string &path) {
  std::ifstream file(path);
  std::string word;
  uint64_t number = 0;
  if (file >> word && absl::SimpleAtoi(word, &number))
    return number;
  return absl::nullopt;
}

/// The path of this process's group below /sys/fs/cgroup; empty if it is not known.
static std::string controlGroup(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line))
    if (absl::StartsWith(line, "0::/"))
      return line.substr(3);
  return "";
}

/// What the process has mapped, in bytes; all of memory if that is not known.
static uint64_t addressSpaceInUse(const std::string &path) {
  std::ifstream file(path);
  uint64_t pages = 0;
  if (!(file >> pages))
    return UINT64_MAX;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

absl::optional<HostMemory> qrt::readHostMemory(const std::string &root) {
  const std::string file = root + "/proc/meminfo";
  const auto total = fieldOf(file, "MemTotal:"), available = fieldOf(file, "MemAvailable:");
  if (!total || !available)
    return absl::nullopt;
  HostMemory memory{*total, *available};
  // The limit of any group that this one is in holds.
  for (std::string group = controlGroup(root + "/proc/self/cgroup"); !group.empty();
       group.resize(group.rfind('/'))) {
    const std::string folder = absl::StrCat(root, "/sys/fs/cgroup", group, "/");
    const auto limit = numberIn(folder + "memory.max"), used = numberIn(folder + "memory.current");
    if (!limit || !used)
      continue;
    memory.total = std::min(memory.total, *limit);
    memory.available = std::min(memory.available, *limit - std::min(*limit, *used));
  }
  rlimit space;
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    const uint64_t limit = space.rlim_cur, used = addressSpaceInUse(root + "/proc/self/statm");
    memory.total = std::min(memory.total, limit);
    memory.available = std::min(memory.available, limit - std::min(limit, used));
  }
  return memory;
}
