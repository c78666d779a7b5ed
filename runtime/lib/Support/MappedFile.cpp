//===- MappedFile.cpp - a file as read-only memory ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/MappedFile.h"

#include "SystemError.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qrt;

absl::StatusOr<MappedFile> MappedFile::open(const std::string &path) {
  // Not blocking: opening a pipe must not wait for a writer.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return systemError("cannot open", path, errno);

  struct stat info;
  if (::fstat(fd, &info) != 0) {
    int error = errno;
    ::close(fd);
    return systemError("cannot examine", path, error);
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(fd);
    return absl::FailedPreconditionError(path + ": not a regular file");
  }

  MappedFile file;
  file.name = path;
  file.length = static_cast<size_t>(info.st_size);
  if (file.length > 0) {
    void *address = ::mmap(nullptr, file.length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED) {
      int error = errno;
      ::close(fd);
      return systemError("cannot map", path, error);
    }
    file.start = static_cast<const uint8_t *>(address);
  }
  ::close(fd); // the mapping holds the file by itself
  return file;
}

absl::StatusOr<MappedFile> MappedFile::fromBytes(std::string_view contents, std::string path) {
  MappedFile file;
  file.name = std::move(path);
  file.length = contents.size();
  if (contents.empty())
    return file;
  void *address =
      ::mmap(nullptr, contents.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return systemError("cannot map", file.name, errno);
  std::memcpy(address, contents.data(), contents.size());
  ::mprotect(address, contents.size(), PROT_READ);
  file.start = static_cast<const uint8_t *>(address);
  return file;
}

MappedFile::~MappedFile() {
  if (start)
    ::munmap(const_cast<uint8_t *>(start), length);
}
