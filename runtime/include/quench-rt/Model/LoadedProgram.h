//===- LoadedProgram.h - programs whose functions are called on arrays ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_LOADEDPROGRAM_H
#define QUENCH_RT_MODEL_LOADEDPROGRAM_H

#include "quench-rt/Device/Device.h"
#include "quench-rt/Model/Listener.h"
#include "quench-rt/Model/TargetOptions.h"
#include "quench-rt/Model/Timings.h"
#include "quench-rt/Program/Executable.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <memory>
#include <string>

namespace qrt {

struct ProgramOptions {
  std::string program;    ///< a file named .mlir or .mlirbc
  std::string weights;    ///< safetensors with formats in its metadata, or GGUF; may be empty
  std::string dumpStages; ///< a folder for the IR after each stage; may be empty
  std::string keepCode;   ///< a folder for the code that runs; may be empty
  int64_t threads = 0;    ///< 0: as many as there are cores
  TargetOptions target;
  Listener listener;
};

/// A program ready to be called (see qrt::call). Members are destroyed in the right order.
struct LoadedProgram {
  std::unique_ptr<Device> device;
  std::unique_ptr<Executable> executable;
  Timings timings;
};

/// Compiles a program, or finds code that was made of it, and packs its weights. All of its
/// public functions can be called.
absl::StatusOr<LoadedProgram> loadProgram(const ProgramOptions &options);

/// A function by its name. NotFound, naming those that there are.
absl::StatusOr<const EntrySpec *> findFunction(const Executable &executable,
                                               const std::string &program, absl::string_view name);

} // namespace qrt

#endif // QUENCH_RT_MODEL_LOADEDPROGRAM_H
