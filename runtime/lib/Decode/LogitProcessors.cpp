//===- LogitProcessors.cpp - what changes logits before a choice ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/LogitProcessors.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace qrt;

/// As f32; a finite number stays finite.
static float rounded(double logit) {
  constexpr double kMost = std::numeric_limits<float>::max();
  if (std::isinf(logit) && logit < 0)
    return -std::numeric_limits<float>::infinity();
  return static_cast<float>(std::clamp(logit, -kMost, kMost));
}

void RecentTokens::clear() {
  occurrences.clear();
  tokens.clear();
  oldest = 0;
}

void RecentTokens::append(int32_t token) {
  if (window == 0)
    return;
  ++occurrences[token];
  if (window < 0)
    return;
  if (static_cast<int64_t>(tokens.size()) < window) {
    tokens.push_back(token);
    return;
  }
  auto gone = occurrences.find(tokens[oldest]);
  if (--gone->second == 0)
    occurrences.erase(gone);
  tokens[oldest] = token;
  oldest = (oldest + 1) % tokens.size();
}

void qrt::addBiases(absl::Span<const LogitBias> biases, absl::Span<float> logits) {
  for (const LogitBias &bias : biases) {
    float &logit = logits[static_cast<size_t>(bias.token)];
    logit = rounded(static_cast<double>(logit) + bias.bias);
  }
}

void qrt::applyPenalties(const SamplingOptions &options, const RecentTokens &recent,
                         absl::Span<float> logits) {
  for (const auto &[token, count] : recent.counts()) {
    float &logit = logits[static_cast<size_t>(token)];
    double value = logit;
    value = value > 0 ? value / options.repeatPenalty : value * options.repeatPenalty;
    value -= static_cast<double>(count) * options.frequencyPenalty + options.presencePenalty;
    logit = rounded(value);
  }
}
