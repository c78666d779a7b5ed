//===- MappedFile.h - a file as read-only memory --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_MAPPEDFILE_H
#define QUENCH_RT_SUPPORT_MAPPEDFILE_H

#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace qrt {

/// A regular file mapped read-only and private. The mapping starts on a page boundary
/// and lives as long as the object; moving the object leaves the address unchanged.
/// An empty file gives size 0 and a null address. If another process shortens the file
/// while it is mapped, reading beyond its new end raises SIGBUS, as with any mapping.
class MappedFile {
public:
  /// NotFound if there is no such file, FailedPrecondition if it is no regular file,
  /// PermissionDenied or Unavailable otherwise; the message names the path.
  static absl::StatusOr<MappedFile> open(const std::string &path);

  /// A read-only copy of bytes in memory that behaves like a mapped file called `path`,
  /// which need not exist: for tests and fuzzing of the parsers.
  static absl::StatusOr<MappedFile> fromBytes(std::string_view contents, std::string path);

  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept { swap(other); }
  MappedFile &operator=(MappedFile &&other) noexcept {
    MappedFile taken(std::move(other));
    swap(taken);
    return *this;
  }
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  const uint8_t *data() const { return start; }
  size_t size() const { return length; }
  const std::string &path() const { return name; }

private:
  void swap(MappedFile &other) noexcept {
    std::swap(start, other.start);
    std::swap(length, other.length);
    std::swap(name, other.name);
  }

  const uint8_t *start = nullptr;
  size_t length = 0;
  std::string name;
};

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_MAPPEDFILE_H
