//===- GenerateOptions.cpp - qrt_generate_options as the runtime has them --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GenerateOptions.h"

#include "Boundary.h"

#include "quench-rt/Limits.h"
#include "quench-rt/Support/Status.h"

#include <limits>

using namespace qrt;
using namespace qrt::capi;

static absl::StatusOr<SamplingOptions> samplingOptions(const qrt_generate_options &given) {
  SamplingOptions sampling;
  sampling.temperature = given.temperature;
  sampling.topK = given.top_k;
  sampling.topP = given.top_p;
  sampling.minP = given.min_p;
  sampling.repeatLastN = given.repeat_last_n;
  sampling.repeatPenalty = given.repeat_penalty;
  sampling.frequencyPenalty = given.frequency_penalty;
  sampling.presencePenalty = given.presence_penalty;
  for (size_t i = 0; i < given.num_biases; ++i)
    sampling.biases.push_back({given.biases[i].token, given.biases[i].bias});
  if (given.logprobs)
    sampling.logprobs = 0;
  sampling.seed = given.seed;
  // Tokens are held against the vocabulary later.
  absl::Status status = sampling.check(std::numeric_limits<int32_t>::max());
  if (!status.ok())
    return usageError(status.message());
  return sampling;
}

absl::StatusOr<TextOptions> capi::textOptions(const qrt_generate_options *options) {
  QRT_ASSIGN_OR_RETURN(qrt_generate_options given,
                       readOptions(options, QRT_GENERATE_OPTIONS_INIT, "qrt_generate_options"));
  QRT_RETURN_IF_ERROR(given.num_stops == 0 ? absl::OkStatus() : checkPointer(given.stops, "stops"));
  QRT_RETURN_IF_ERROR(given.num_biases == 0 ? absl::OkStatus()
                                            : checkPointer(given.biases, "biases"));
  TextOptions text;
  if (given.max_tokens < -1)
    return usageError(
        absl::StrCat("max_tokens: found ", given.max_tokens, ", expected -1 (no limit) or more"));
  if (given.max_tokens >= 0)
    text.maxTokens = given.max_tokens;
  text.ignoreEnd = given.ignore_end != 0;
  for (size_t i = 0; i < given.num_stops; ++i) {
    QRT_RETURN_IF_ERROR(checkPointer(given.stops[i], "a stop string"));
    if (!*given.stops[i])
      return usageError("stops: found an empty string, which would stop at once");
    text.stops.emplace_back(given.stops[i]);
  }
  QRT_ASSIGN_OR_RETURN(text.sampling, samplingOptions(given));
  switch (given.speculation) {
  case QRT_SPECULATION_AUTOMATIC:
    break;
  case QRT_SPECULATION_LOOKUP:
    text.speculation.source = Speculation::Lookup;
    break;
  case QRT_SPECULATION_OFF:
    text.speculation.source = Speculation::Off;
    break;
  default:
    return usageError(absl::StrCat("speculation: found ", given.speculation,
                                   ", expected one of QRT_SPECULATION_*"));
  }
  if (given.draft_tokens < 0 || given.draft_tokens > kMaxDraft)
    return usageError(
        absl::StrCat("draft_tokens: found ", given.draft_tokens, ", expected 0 to ", kMaxDraft));
  text.speculation.tokens = given.draft_tokens;
  if (given.rejection)
    text.speculation.acceptance = AcceptanceRule::Rejection;
  return text;
}
