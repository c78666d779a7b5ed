//===- AtomicFile.cpp - files that appear whole or not at all -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/AtomicFile.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Temporaries.h"

#include "SystemError.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qrt;

absl::StatusOr<AtomicFile> AtomicFile::create(const std::string &given) {
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
  removeLeftovers(path);
  // A name may be taken by what could not be removed.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string temporary = temporaryName(path);
    int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 && lockTemporary(fd, temporary))
      return AtomicFile(path, std::move(temporary), fd);
    if (fd >= 0)
      ::close(fd);
    else if (errno != EEXIST)
      return systemError("cannot create", path, errno);
  }
  return systemError("cannot create", path, EEXIST);
}

AtomicFile::~AtomicFile() {
  if (!temporary.empty())
    ::unlink(temporary.c_str());
  if (fd >= 0)
    ::close(fd);
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
  // Closing may tell of a failed write, but ends the lock as well: a second descriptor keeps it
  // until the file has its name.
  const int lock = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  absl::Status status;
  if (::close(std::exchange(fd, -1)) != 0)
    status = systemError("cannot write", target, errno);
  else if (!temporary.empty() && std::rename(temporary.c_str(), target.c_str()) != 0)
    status = systemError("cannot rename into place", target, errno);
  else
    temporary.clear();
  if (lock >= 0)
    ::close(lock);
  return status;
}

absl::Status qrt::writeFileAtomically(const std::string &path, std::string_view contents) {
  QRT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  QRT_RETURN_IF_ERROR(file.write(contents));
  return file.commit();
}
