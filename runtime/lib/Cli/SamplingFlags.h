//===- SamplingFlags.h - options about how tokens are chosen --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_SAMPLINGFLAGS_H
#define QUENCH_RT_LIB_CLI_SAMPLINGFLAGS_H

#include "Command.h"

#include "quench-rt/Decode/SamplingOptions.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace qrt::cli {

/// "ID+N" or "ID-N" as llama.cpp writes it; N may be "inf".
absl::StatusOr<LogitBias> parseLogitBias(absl::string_view text);

class SamplingFlags {
public:
  void addTo(Command &command);

  /// What the command line says, with a random seed if one is needed and none was given.
  /// A usage error for values that no vocabulary would make sense of, and for log-probabilities
  /// unless the command prints JSON.
  absl::StatusOr<SamplingOptions> read(bool json) const;

private:
  SamplingOptions options;
  std::vector<std::string> biases;
  int64_t logprobs = 0;
  int64_t seed = 0;
  Option temperatureOption, logprobsOption, seedOption;
  /// Those that mean something only with a temperature, with their names.
  std::vector<std::pair<const char *, Option>> ofTemperature;
};

/// A usage error if the options do not suit the vocabulary.
absl::Status checkSampling(const SamplingOptions &options, int64_t vocabularySize);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_SAMPLINGFLAGS_H
