//===- SpeculationFlags.h - options about drafts --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_SPECULATIONFLAGS_H
#define QUENCH_RT_LIB_CLI_SPECULATIONFLAGS_H

#include "Command.h"

#include "quench-rt/Decode/SamplingOptions.h"
#include "quench-rt/Model/Drafting.h"
#include "quench-rt/Model/LoadedModel.h"

#include "absl/status/status.h"

#include <cstdint>
#include <string>

namespace qrt::cli {

class SpeculationFlags {
public:
  void addTo(Command &command);

  /// Checks the values, and names the draft among the options of the model.
  absl::Status read(ModelOptions &model, const SamplingOptions &sampling) const;

  bool off() const { return speculate == "off"; }
  bool rejects() const { return rule == "rejection"; }

  /// `required`: a program that cannot speculate is an error even if nothing was said.
  SpeculationOptions options(bool required) const;

private:
  std::string speculate; ///< empty: what the program was compiled for
  int64_t tokens = 4;
  std::string rule = "match";
};

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_SPECULATIONFLAGS_H
