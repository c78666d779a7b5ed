//===- SamplingOptions.cpp - which values make sense ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/SamplingOptions.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <cmath>
#include <limits>

using namespace qrt;

namespace {

constexpr double kMost = std::numeric_limits<float>::max();

template <typename T>
absl::Status expect(bool good, absl::string_view name, const T &found, absl::string_view expected) {
  if (good)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": found ", found, ", expected ", expected));
}

absl::Status expectProbability(absl::string_view name, double found) {
  return expect(found >= 0 && found <= 1, name, found, "0 to 1");
}

absl::Status expectFinite(absl::string_view name, double found) {
  return expect(std::abs(found) <= kMost, name, found, "a finite number");
}

} // namespace

absl::Status SamplingOptions::check(int64_t vocabularySize) const {
  QRT_RETURN_IF_ERROR(expect(temperature >= 0 && temperature <= kMost, "temp", temperature,
                             "0 (the likeliest token) or a positive number"));
  QRT_RETURN_IF_ERROR(expect(topK >= 0, "top-k", topK, "0 (all tokens) or more"));
  QRT_RETURN_IF_ERROR(expectProbability("top-p", topP));
  QRT_RETURN_IF_ERROR(expectProbability("min-p", minP));
  QRT_RETURN_IF_ERROR(expect(repeatLastN >= -1, "repeat-last-n", repeatLastN,
                             "-1 (the whole text), 0 (no penalties) or more"));
  QRT_RETURN_IF_ERROR(expect(repeatPenalty > 0 && repeatPenalty <= kMost, "repeat-penalty",
                             repeatPenalty, "a positive number; 1 is no penalty"));
  QRT_RETURN_IF_ERROR(expectFinite("frequency-penalty", frequencyPenalty));
  QRT_RETURN_IF_ERROR(expectFinite("presence-penalty", presencePenalty));
  for (const LogitBias &bias : biases) {
    QRT_RETURN_IF_ERROR(expect(bias.token >= 0 && bias.token < vocabularySize, "logit-bias",
                               absl::StrCat("token ", bias.token),
                               absl::StrCat("a token from 0 to ", vocabularySize - 1)));
    QRT_RETURN_IF_ERROR(expect(bias.bias <= kMost && (bias.bias >= -kMost || std::isinf(bias.bias)),
                               "logit-bias", bias.bias,
                               "a finite number, or -inf to exclude the token"));
  }
  if (logprobs)
    QRT_RETURN_IF_ERROR(expect(*logprobs >= 0, "logprobs", *logprobs, "0 or more"));
  return absl::OkStatus();
}
