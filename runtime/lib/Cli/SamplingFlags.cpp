//===- SamplingFlags.cpp - options about how tokens are chosen ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SamplingFlags.h"

#include "Errors.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <limits>
#include <random>

using namespace qrt;
using namespace qrt::cli;

static constexpr int64_t kMost = int64_t(1) << 30;

absl::StatusOr<LogitBias> cli::parseLogitBias(absl::string_view text) {
  const size_t sign = text.find_first_of("+-");
  LogitBias bias;
  // Another sign behind the first would be taken by the conversion.
  if (sign == absl::string_view::npos || !absl::SimpleAtoi(text.substr(0, sign), &bias.token) ||
      text.find_first_of("+- ", sign + 1) == sign + 1 ||
      !absl::SimpleAtod(text.substr(sign + 1), &bias.bias))
    return usageError(absl::StrCat("--logit-bias: found ",
                                   qrt::quoted(std::string_view(text.data(), text.size())),
                                   ", expected a token id and what to add to its logit, such as "
                                   "15043+1.5, or 2-inf to exclude it"));
  if (text[sign] == '-')
    bias.bias = -bias.bias;
  return bias;
}

absl::Status cli::checkSampling(const SamplingOptions &options, int64_t vocabularySize) {
  absl::Status status = options.check(vocabularySize);
  return status.ok() ? status : usageError(absl::StrCat("--", status.message()));
}

void SamplingFlags::addTo(Command &command) {
  temperatureOption =
      command.number("--temp", "T", options.temperature,
                     "Sampling temperature; 0 (the default) is always the likeliest token");
  ofTemperature = {
      {"--top-k", command.integer("--top-k", "K", options.topK, 0, kMost,
                                  "Samples from the K likeliest tokens; 0: all (default: 40)")},
      {"--top-p", command.number("--top-p", "P", options.topP,
                                 "Samples from the fewest tokens whose probabilities add up to P; "
                                 "1: all (default: 0.95)")},
      {"--min-p", command.number("--min-p", "P", options.minP,
                                 "Samples from tokens at least P times as likely as the likeliest; "
                                 "0: all (default: 0.05)")}};
  seedOption = command.integer("--seed", "N", seed, 0, std::numeric_limits<int64_t>::max(),
                               "Of the random numbers; the same one gives the same text (default: "
                               "a new one, which is shown)");
  ofTemperature.emplace_back("--seed", seedOption);
  command.number("--repeat-penalty", "R", options.repeatPenalty,
                 "Divides the logit of a token that occurred, multiplies a negative one (default: "
                 "1, none)");
  command.integer("--repeat-last-n", "N", options.repeatLastN, -1, kMost,
                  "Penalties are for the last N tokens; -1: for all (default: 64)");
  command.number("--frequency-penalty", "A", options.frequencyPenalty,
                 "Subtracted from a token's logit for each occurrence (default: 0)");
  command.number("--presence-penalty", "A", options.presencePenalty,
                 "Subtracted from the logit of a token that occurred (default: 0)");
  command.list("--logit-bias", "ID(+|-)N", biases,
               "Added to the logit of a token; ID-inf excludes it; may be repeated");
  logprobsOption = command.integer("--logprobs", "N", logprobs, 0, 1000000,
                                   "With --json: the log-probability of each token and of the N "
                                   "likeliest ones");
}

absl::StatusOr<SamplingOptions> SamplingFlags::read(bool json) const {
  SamplingOptions result = options;
  for (const std::string &bias : biases) {
    QRT_ASSIGN_OR_RETURN(LogitBias parsed, parseLogitBias(bias));
    result.biases.push_back(parsed);
  }
  if (logprobsOption.given()) {
    if (!json)
      return usageError(
          "--logprobs: log-probabilities are printed with --json only, expected both");
    result.logprobs = logprobs;
  }
  QRT_RETURN_IF_ERROR(checkSampling(result, std::numeric_limits<int32_t>::max()));
  result.seed = static_cast<uint64_t>(seed);
  if (result.temperature > 0 && !seedOption.given())
    result.seed = std::random_device()();
  if (!temperatureOption.given())
    for (const auto &[name, option] : ofTemperature)
      if (option.given())
        printNote(absl::StrCat(name, " has no effect without a temperature (--temp T)"));
  return result;
}
