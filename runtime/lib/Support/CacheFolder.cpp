//===- CacheFolder.cpp - where derived files are kept ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/CacheFolder.h"

#include "quench-rt/Support/Status.h"

#include "SystemError.h"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <sys/stat.h>

using namespace qrt;

static std::string_view environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

absl::StatusOr<std::string> qrt::cacheFolderPath() {
  if (std::string_view own = environment("QUENCH_CACHE"); !own.empty())
    return std::string(own);
  if (std::string_view xdg = environment("XDG_CACHE_HOME"); !xdg.empty() && xdg[0] == '/')
    return std::string(xdg) + "/quench";
  if (std::string_view home = environment("HOME"); !home.empty())
    return std::string(home) + "/.cache/quench";
  return absl::FailedPreconditionError(
      "no cache folder: set QUENCH_CACHE, XDG_CACHE_HOME (absolute) or HOME");
}

absl::Status qrt::createFolders(const std::string &path) {
  size_t end = 0;
  while (end != std::string::npos && end < path.size()) {
    end = path.find('/', end + 1);
    std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0700) == 0 || errno == EEXIST)
      continue;
    // A parent may exist and yet refuse mkdir (a read-only or foreign one).
    int error = errno;
    struct stat info;
    if (::stat(part.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      continue;
    return systemError("cannot create folder", part, error);
  }
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return systemError("cannot create folder", path, errno);
  if (!S_ISDIR(info.st_mode))
    return absl::FailedPreconditionError(path + ": exists and is not a folder");
  return absl::OkStatus();
}

absl::StatusOr<std::string> qrt::cacheFolder() {
  QRT_ASSIGN_OR_RETURN(std::string path, cacheFolderPath());
  QRT_RETURN_IF_ERROR(createFolders(path));
  return path;
}
