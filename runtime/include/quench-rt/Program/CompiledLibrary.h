//===- CompiledLibrary.h - the code of a model, loaded and described ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_COMPILEDLIBRARY_H
#define QUENCH_RT_PROGRAM_COMPILEDLIBRARY_H

#include "quench-rt/Device/Device.h"
#include "quench-rt/Program/Descriptor.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstdint>
#include <memory>

namespace qrt {

class CompiledLibrary {
public:
  /// Loads code and checks its description. `code` runs with the rights of this
  /// process; see findCode in Package.h for which code may be loaded. `label` is for
  /// messages.
  static absl::StatusOr<std::unique_ptr<CompiledLibrary>>
  load(Device &device, absl::Span<const uint8_t> code, absl::string_view label);

  const LibraryDescriptor &descriptor() const { return description; }
  const Image &image() const { return *code; }

private:
  CompiledLibrary(std::unique_ptr<Image> code, LibraryDescriptor description)
      : code(std::move(code)), description(std::move(description)) {}

  std::unique_ptr<Image> code;
  LibraryDescriptor description;
};

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_COMPILEDLIBRARY_H
