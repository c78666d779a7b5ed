//===- CodeFinder.h - code for this machine, from the cache or compiled ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_CODEFINDER_H
#define QUENCH_RT_LIB_CLI_CODEFINDER_H

#include "Command.h"
#include "Timings.h"

#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Program/Package.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt::cli {

/// What code is made for, and how. All of it goes into the key.
struct TargetOptions {
  std::string target = "native"; ///< or a CPU name, or ARCHITECTURE:CPU
  bool portable = false;
  std::string sanitize;
  bool trace = false; ///< the one entry is @trace

  /// --target and --portable.
  void addTo(Command &command);

  /// Names the folder of such code in a package: for this machine its architecture and
  /// extensions, such as "x86_64+avx2+fma".
  std::string folderName() const;

  /// Everything as one text, for keys.
  std::string keyText() const;

  /// Sets the members of a request for the compiler.
  void addTo(nlohmann::json &request) const;
};

/// Code of a package's program that may be run: cached, in the package, or compiled now.
absl::StatusOr<std::vector<uint8_t>> findPackageCode(ArtifactCache &cache, const Package &package,
                                                     const TargetOptions &target, bool trustCode,
                                                     Timings &timings);

/// Code of a program file (MLIR text, or bytecode with its seal) that exports all public
/// functions: cached or compiled now. With `dumpStages`, a folder, it is always compiled.
absl::StatusOr<std::vector<uint8_t>>
findProgramCode(ArtifactCache &cache, const std::string &program, const TargetOptions &target,
                const std::string &dumpStages, Timings &timings);

struct CompiledCode {
  std::vector<uint8_t> bytes;
  nlohmann::json response; ///< the compiler's
};

/// Has the compiler handle a request that asks for a bare library as well.
absl::StatusOr<CompiledCode> compileCode(nlohmann::json request);

/// The same; the library goes into the cache: under `key`, or if it is empty under the code's own.
absl::StatusOr<std::vector<uint8_t>> compileIntoCache(ArtifactCache &cache, nlohmann::json request,
                                                      std::string key, Timings &timings);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_CODEFINDER_H
