//===- Logits.cpp - judging final logits ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Logits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace qrt;

double qrt::logSumExp(absl::Span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits)
    sum += std::exp(static_cast<double>(logit) - largest);
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
