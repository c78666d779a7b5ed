//===- LoadedModel.h - from the argument MODEL to a session ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_LOADEDMODEL_H
#define QUENCH_RT_MODEL_LOADEDMODEL_H

#include "quench-rt/Decode/Session.h"
#include "quench-rt/Device/Device.h"
#include "quench-rt/Model/Listener.h"
#include "quench-rt/Model/TargetOptions.h"
#include "quench-rt/Model/Timings.h"
#include "quench-rt/Program/Executable.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>
#include <string>

namespace qrt {

/// What is asked for by whoever runs a model.
struct ModelOptions {
  std::string model;
  std::string draft;       ///< a model that drafts for it; empty: none
  int64_t threads = 0;     ///< 0: as many as there are cores
  std::string activations; ///< empty: what the package has, i8 for a GGUF file
  TargetOptions target;
  bool trustCode = false; ///< runs code that came with a package, though it was not made here
  std::string keepCode;   ///< folder for the code that runs; empty: none
  Listener listener;
};

/// A model ready to run. Members are destroyed in the right order.
struct LoadedModel {
  std::unique_ptr<Device> device;
  std::unique_ptr<Executable> executable;
  int64_t context = 0; ///< the most positions of a sequence
  Timings timings;
  Listener listener;

  /// A session of at most `length` positions; 0 for the model's own number, or what of it
  /// fits into the memory that is available. `option` is the one that asked for the length, for
  /// messages; an environment error if that does not fit.
  absl::StatusOr<std::unique_ptr<Session>> newSession(int64_t length,
                                                      absl::string_view option) const;
};

/// Finds or makes the code for this machine, finds or packs the weights.
absl::StatusOr<LoadedModel> loadModel(const ModelOptions &options);

/// A target as a library describes it (see Machine::describe of the compiler), without the
/// long list of the processor's features.
std::string shortTarget(const std::string &target);

/// What the code says about itself, without the weights.
absl::StatusOr<LibraryDescriptor> describeCode(const ModelOptions &options);

/// The most positions of a sequence as the model's file says, without compiling.
absl::StatusOr<int64_t> contextOf(const std::string &model);

} // namespace qrt

#endif // QUENCH_RT_MODEL_LOADEDMODEL_H
