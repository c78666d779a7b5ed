//===- Logits.cpp - judging final logits ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Logits.h"

#include "Exponential.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace qrt;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();

float qrt::largestLogit(absl::Span<const float> logits) {
  // Several at a time: a vocabulary has hundreds of thousands.
  constexpr size_t kLanes = 16;
  float largest[kLanes];
  std::fill(largest, largest + kLanes, -kInfinity);
  size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane)
      largest[lane] = logits[i + lane] > largest[lane] ? logits[i + lane] : largest[lane];
  for (; i < logits.size(); ++i)
    largest[0] = logits[i] > largest[0] ? logits[i] : largest[0];
  return *std::max_element(largest, largest + kLanes);
}

absl::optional<size_t> qrt::findImproperLogit(absl::Span<const float> logits) {
  auto improper = [](float logit) { return !(logit < kInfinity); };
  bool any = false;
  for (float logit : logits)
    any |= improper(logit);
  if (!any)
    return absl::nullopt;
  return static_cast<size_t>(std::find_if(logits.begin(), logits.end(), improper) - logits.begin());
}

double qrt::logSumExp(absl::Span<const float> logits) {
  const double largest = largestLogit(logits);
  double sum = 0, weights[256];
  for (size_t first = 0; first < logits.size(); first += 256) {
    const size_t count = std::min<size_t>(256, logits.size() - first);
    for (size_t i = 0; i < count; ++i)
      weights[i] = static_cast<double>(logits[first + i]) - largest;
    expOfNegatives(weights, count);
    for (size_t i = 0; i < count; ++i)
      sum += weights[i];
  }
  return largest + std::log(sum);
}

double qrt::negativeLogLikelihood(absl::Span<const float> logits, int32_t id) {
  return logSumExp(logits) - static_cast<double>(logits[static_cast<size_t>(id)]);
}

std::vector<std::pair<int32_t, float>> qrt::topLogits(absl::Span<const float> logits, size_t k) {
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  k = std::min(k, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(k), order.end(),
                    [&](int32_t a, int32_t b) {
                      const float x = logits[static_cast<size_t>(a)];
                      const float y = logits[static_cast<size_t>(b)];
                      // NaN is neither larger nor equal, so it needs a place of its own.
                      if (std::isnan(x) || std::isnan(y))
                        return std::isnan(x) == std::isnan(y) ? a < b : std::isnan(y);
                      return x != y ? x > y : a < b;
                    });
  std::vector<std::pair<int32_t, float>> top;
  for (size_t i = 0; i < k; ++i)
    top.emplace_back(order[i], logits[static_cast<size_t>(order[i])]);
  return top;
}
