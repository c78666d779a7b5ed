//===- Loader.h - from a package and its code to something that runs ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   absl::StatusOr<Package> package = Package::open(path);
//   auto code = findCode(cache, &*package, target, key, trustCode); // or compile it
//   auto executable = loadProgram(*device, *package, *code, options);
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_LOADER_H
#define QUENCH_RT_PROGRAM_LOADER_H

#include "quench-rt/Device/Device.h"
#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Program/Executable.h"
#include "quench-rt/Program/Package.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <memory>

namespace qrt {

struct LoadOptions {
  ArtifactCache *cache = nullptr; ///< for packed weights; may be null
  int threads = 2;                ///< for packing and reading weights
  bool mapped = false;            ///< see WeightStoreOptions
};

/// Loads code that was made for the package's program, with the package's weights. The
/// code is run as it is: it comes from findCode or from the compiler.
absl::StatusOr<std::unique_ptr<Executable>> loadProgram(Device &device, const Package &package,
                                                        absl::Span<const uint8_t> code,
                                                        const LoadOptions &options);

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_LOADER_H
