//===- PackageCompiler.h - packages made of models and programs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_PACKAGECOMPILER_H
#define QUENCH_RT_MODEL_PACKAGECOMPILER_H

#include "quench-rt/Model/Listener.h"
#include "quench-rt/Model/TargetOptions.h"
#include "quench-rt/Model/Timings.h"

#include "absl/status/statusor.h"
#include "absl/types/optional.h"

#include <cstdint>
#include <string>

namespace qrt {

/// An option that does not fit the kind of input is an error.
struct PackageOptions {
  std::string input;   ///< GGUF file, MLIR text or bytecode with its checksum, or a package
  std::string package; ///< a folder that does not exist yet
  std::string from;    ///< of a program: the package that has its weights and tokenizer
  std::string weights; ///< of a program: the file that has its weights
  absl::optional<std::string> activations; ///< of a GGUF file: "i8" (none: so) or "f32"
  absl::optional<std::string> layers;      ///< of a GGUF file: those to keep, "0-11,15-29"
  int64_t context = 0;    ///< of a GGUF file: positions of a sequence; 0: the file's number
  std::string dumpStages; ///< a folder for the IR after each stage; may be empty
  /// A file for the IR before a pass that fails or crashes.
  absl::optional<std::string> crashReproducer;
  TargetOptions target;
  Listener listener;
};

struct CompiledPackage {
  std::string program; ///< its key, see Program/Seal.h
  std::string code;    ///< secure hash of the code
  Timings timings;
};

/// Makes a package with code. Usage errors name options as quench-run has them. Nothing
/// stays behind after an error.
absl::StatusOr<CompiledPackage> compilePackage(const PackageOptions &options);

} // namespace qrt

#endif // QUENCH_RT_MODEL_PACKAGECOMPILER_H
