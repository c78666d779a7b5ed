//===- AtomicFile.cpp - files that appear whole or not at all -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/AtomicFile.h"

#include "quench-rt/Support/Status.h"

#include "SystemError.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qrt;

absl::StatusOr<AtomicFile> AtomicFile::create(const std::string &given) {
  static std::atomic<unsigned> counter{0};
  std::string path = given;
  struct stat info;
  if (::stat(given.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return systemError("cannot create", given, EISDIR);
    if (!S_ISREG(info.st_mode)) {
      int fd = ::open(given.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd < 0)
        return systemError("cannot open", given, errno);
      return AtomicFile(given, "", fd);
    }
    // A symbolic link stays one.
    if (char *real = ::realpath(given.c_str(), nullptr)) {
      path = real;
      std::free(real);
    }
  }
  // A name may be taken by the leftover of a killed process with the same id.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string temporary = path + ".tmp-" + std::to_string(::getpid()) + "-" +
                            std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
    int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
      return AtomicFile(path, std::move(temporary), fd);
    if (errno != EEXIST)
      return systemError("cannot create", path, errno);
  }
  return systemError("cannot create", path, EEXIST);
}

AtomicFile::~AtomicFile() {
  if (fd >= 0)
    ::close(fd);
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

absl::Status AtomicFile::write(const void *data, size_t size) {
  if (fd < 0)
    return absl::FailedPreconditionError(target + ": already closed");
  const char *bytes = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t written = ::write(fd, bytes, size);
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return systemError("cannot write", target, errno);
    }
    bytes += written;
    size -= static_cast<size_t>(written);
  }
  return absl::OkStatus();
}

absl::Status AtomicFile::commit() {
  if (fd < 0)
    return absl::FailedPreconditionError(target + ": already closed");
  if (::close(std::exchange(fd, -1)) != 0)
    return systemError("cannot write", target, errno);
  if (!temporary.empty() && std::rename(temporary.c_str(), target.c_str()) != 0)
    return systemError("cannot rename into place", target, errno);
  temporary.clear();
  return absl::OkStatus();
}

absl::Status qrt::writeFileAtomically(const std::string &path, std::string_view contents) {
  QRT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  QRT_RETURN_IF_ERROR(file.write(contents));
  return file.commit();
}
