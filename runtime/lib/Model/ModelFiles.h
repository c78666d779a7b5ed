//===- ModelFiles.h - the program that a model is run from, and its weights -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_MODEL_MODELFILES_H
#define QUENCH_RT_LIB_MODEL_MODELFILES_H

#include "quench-rt/Model/LoadedModel.h"
#include "quench-rt/Model/Timings.h"
#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Program/Package.h"

#include "absl/status/statusor.h"

#include <string>

namespace qrt {

struct ModelFiles {
  /// The user's own, or one that the cache keeps: for a GGUF file, and for a model that was
  /// joined with a draft.
  Package package;
  std::string weights;      ///< where they are now; empty: none
  std::string draftWeights; ///< the same for those of a draft beside it
};

/// Compiles what the cache has no package for. A usage error if an option does not fit the
/// kinds of models.
absl::StatusOr<ModelFiles> findModelFiles(ArtifactCache &cache, const ModelOptions &options,
                                          Timings &timings);

} // namespace qrt

#endif // QUENCH_RT_LIB_MODEL_MODELFILES_H
