//===- SpeculationFlags.h - options about drafts --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_SPECULATIONFLAGS_H
#define QUENCH_RT_LIB_CLI_SPECULATIONFLAGS_H

#include "Command.h"
#include "LoadedModel.h"

#include "quench-rt/Decode/DraftSource.h"
#include "quench-rt/Decode/SamplingOptions.h"
#include "quench-rt/Decode/Session.h"
#include "quench-rt/Decode/Speculator.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>
#include <string>

namespace qrt::cli {

struct Drafting {
  std::unique_ptr<DraftSource> owned; ///< null if the source is the session's
  DraftOptions options;               ///< no source means plain decoding
};

class SpeculationFlags {
public:
  void addTo(Command &command);

  /// Checks the values, and names the draft among the options of the model.
  absl::Status read(ModelOptions &model, const SamplingOptions &sampling) const;

  bool off() const { return speculate == "off"; }
  bool rejects() const { return rule == "rejection"; }

  /// For a session of `model`. `required`: a program that cannot speculate is an error even
  /// if nothing was said.
  absl::StatusOr<Drafting> drafting(const Session &session, const std::string &model,
                                    bool required) const;

private:
  std::string speculate; ///< empty: what the program was compiled for
  int64_t tokens = 4;
  std::string rule = "match";
};

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_SPECULATIONFLAGS_H
