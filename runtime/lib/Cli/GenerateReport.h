//===- GenerateReport.h - what generate says about its work ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_GENERATEREPORT_H
#define QUENCH_RT_LIB_CLI_GENERATEREPORT_H

#include "Output.h"

#include "quench-rt/Decode/Speculator.h"

#include <optional>
#include <string>

namespace qrt::cli {

struct GenerateReport {
  SamplingOptions sampling;               ///< that were used
  Generation plainOrDrafted;              ///< of a single generation
  std::optional<LosslessReport> lossless; ///< of two

  /// The one whose text was printed.
  const Generation &generation() const { return lossless ? lossless->speculative : plainOrDrafted; }

  /// The object of `--json`.
  Json asJson() const;

  /// One or two lines for people.
  std::string summary() const;
};

/// [{logprob, top: [[id, logprob], …]}], one of each token.
Json logprobsAsJson(const Generation &generation);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_GENERATEREPORT_H
