//===- CodeFinder.h - code for this machine, from the cache or compiled ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_CODEFINDER_H
#define QUENCH_RT_MODEL_CODEFINDER_H

#include "quench-rt/Model/Listener.h"
#include "quench-rt/Model/TargetOptions.h"
#include "quench-rt/Model/Timings.h"
#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Program/Package.h"

#include "absl/status/statusor.h"

#include "nlohmann/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt {

/// Code of a package's program that may be run: cached, in the package, or compiled now.
absl::StatusOr<std::vector<uint8_t>> findPackageCode(ArtifactCache &cache, const Package &package,
                                                     const TargetOptions &target, bool trustCode,
                                                     const Listener &listener, Timings &timings);

/// Code of a program file (MLIR text, or bytecode with its seal) that exports all public
/// functions: cached or compiled now. With `dumpStages`, a folder, it is always compiled.
absl::StatusOr<std::vector<uint8_t>>
findProgramCode(ArtifactCache &cache, const std::string &program, const TargetOptions &target,
                const std::string &dumpStages, const Listener &listener, Timings &timings);

struct CompiledCode {
  std::vector<uint8_t> bytes;
  nlohmann::json response; ///< the compiler's
};

/// Has the compiler handle a request that asks for a bare library as well.
absl::StatusOr<CompiledCode> compileCode(nlohmann::json request, const Listener &listener);

/// The same; the library goes into the cache: under `key`, or if it is empty under the code's own.
absl::StatusOr<std::vector<uint8_t>> compileIntoCache(ArtifactCache &cache, nlohmann::json request,
                                                      std::string key, const Listener &listener,
                                                      Timings &timings);

} // namespace qrt

#endif // QUENCH_RT_MODEL_CODEFINDER_H
