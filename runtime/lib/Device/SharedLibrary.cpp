//===- SharedLibrary.cpp - code, loaded by the dynamic linker -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SharedLibrary.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

using namespace qrt;

static bool writeAll(int file, absl::Span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// Opens a file for the code and sets the path to load it by.
static absl::StatusOr<int> createFile(absl::string_view label, const std::string &folder,
                                      std::string &path) {
  if (folder.empty()) {
    int file = memfd_create("quench-code", MFD_CLOEXEC);
    if (file < 0)
      return absl::InternalError(
          absl::StrCat(label, ": cannot make a file in memory: ", std::strerror(errno)));
    path = absl::StrCat("/proc/self/fd/", file);
    return file;
  }
  path = absl::StrCat(folder, "/quench-code-XXXXXX.so");
  int file = mkostemps(path.data(), /*suffixlen=*/3, O_CLOEXEC);
  if (file < 0)
    return absl::UnavailableError(
        absl::StrCat(folder, ": cannot make a file for the code: ", std::strerror(errno)));
  // A name without a slash would be searched for elsewhere, and a relative one mean another
  // file to who reads it later.
  char absolute[PATH_MAX];
  if (realpath(path.c_str(), absolute))
    path = absolute;
  return file;
}

absl::StatusOr<SharedLibrary> SharedLibrary::load(absl::Span<const uint8_t> code,
                                                  absl::string_view label,
                                                  const std::string &folder) {
  std::string path;
  absl::StatusOr<int> created = createFile(label, folder, path);
  if (!created.ok())
    return created.status();
  int file = *created;
  if (!writeAll(file, code)) {
    int error = errno;
    close(file);
    return absl::ResourceExhaustedError(absl::StrCat(label, ": cannot copy the code to ",
                                                     folder.empty() ? "memory" : path, ": ",
                                                     std::strerror(error)));
  }
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    absl::Status status = absl::InvalidArgumentError(absl::StrCat(
        label, ": not a shared library that can be loaded here: ", why ? why : "no reason given"));
    close(file);
    return status;
  }
  return SharedLibrary(handle, file);
}

SharedLibrary::SharedLibrary(SharedLibrary &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)), file(std::exchange(other.file, -1)) {}

SharedLibrary::~SharedLibrary() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}

void *SharedLibrary::symbol(const char *name) const { return dlsym(handle, name); }
