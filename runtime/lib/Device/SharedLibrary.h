//===- SharedLibrary.h - code, loaded by the dynamic linker ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_DEVICE_SHAREDLIBRARY_H
#define QUENCH_RT_LIB_DEVICE_SHAREDLIBRARY_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstdint>
#include <string>

namespace qrt {

/// A loaded ELF shared library. Closed when the object goes.
class SharedLibrary {
public:
  /// The bytes are copied to an anonymous file, so that what was checked is what is
  /// loaded, whatever happens to files meanwhile. `label` is for messages. With `folder`
  /// not empty they go to a new file in it, which stays there when the object goes:
  /// profilers and debuggers read a library's symbols from its file.
  static absl::StatusOr<SharedLibrary> load(absl::Span<const uint8_t> code, absl::string_view label,
                                            const std::string &folder = "");

  SharedLibrary(SharedLibrary &&other) noexcept;
  SharedLibrary &operator=(SharedLibrary &&other) = delete;
  ~SharedLibrary();

  /// Null if the library has no such symbol.
  void *symbol(const char *name) const;

private:
  SharedLibrary(void *handle, int file) : handle(handle), file(file) {}

  void *handle;
  // Open as long as the library: the dynamic linker knows libraries by path, and the
  // path is the descriptor's number, which must not be given to another one.
  int file;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_DEVICE_SHAREDLIBRARY_H
