//===- AtomicFile.h - files that appear whole or not at all ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_ATOMICFILE_H
#define QUENCH_RT_SUPPORT_ATOMICFILE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace qrt {

/// Writes to a temporary name in the target's folder; `commit` renames it over the
/// target. An object destroyed before that removes the temporary file and leaves what
/// was at the target, if anything; what a killed process has left is removed by the next one that
/// writes to the same target (see Temporaries.h). Through a symbolic link that leads somewhere the
/// file behind it is replaced. What is no regular file (a device, a pipe) is written to directly.
/// Nothing is forced to the disk: after a power failure a file may be damaged, which readers with
/// checksums notice.
class AtomicFile {
public:
  /// Creates the temporary file. The folder must exist.
  static absl::StatusOr<AtomicFile> create(const std::string &path);

  AtomicFile(AtomicFile &&other) noexcept
      : target(std::move(other.target)), temporary(std::move(other.temporary)),
        fd(std::exchange(other.fd, -1)) {
    other.temporary.clear();
  }
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  absl::Status write(const void *data, size_t size);
  absl::Status write(std::string_view text) { return write(text.data(), text.size()); }

  /// Closes and renames. No further use of the object afterwards.
  absl::Status commit();

private:
  AtomicFile(std::string target, std::string temporary, int fd)
      : target(std::move(target)), temporary(std::move(temporary)), fd(fd) {}

  std::string target;
  std::string temporary;
  int fd;
};

/// A whole file in one call.
absl::Status writeFileAtomically(const std::string &path, std::string_view contents);

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_ATOMICFILE_H
