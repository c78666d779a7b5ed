//===- TokenFilter.cpp - from logits to a distribution to draw from -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/TokenFilter.h"

#include "Exponential.h"

#include "quench-rt/Decode/Logits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

using namespace qrt;

int32_t TokenDistribution::draw(double uniform) const {
  const double target = uniform * total;
  double sum = 0;
  size_t last = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0)
      last = i;
    sum += weights[i];
    if (sum > target)
      break;
  }
  return tokens[last];
}

double TokenDistribution::probability(int32_t token) const {
  auto found = std::lower_bound(tokens.begin(), tokens.end(), token);
  if (found == tokens.end() || *found != token)
    return 0;
  return weights[static_cast<size_t>(found - tokens.begin())] / total;
}

bool TokenFilter::likelier(const Candidate &a, const Candidate &b) {
  return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
}

void TokenFilter::gather(absl::Span<const float> logits, size_t count, float floor) {
  kept.clear();
  // Whenever the buffer is full its better part stays. What comes later has to be larger
  // than the least of that, since of equal ones the lower id counts.
  const size_t room = std::max<size_t>(2 * count, 256);
  auto shrink = [&] {
    if (kept.size() <= count)
      return;
    std::nth_element(kept.begin(), kept.begin() + static_cast<ptrdiff_t>(count) - 1, kept.end(),
                     likelier);
    kept.resize(count);
  };
  for (size_t token = 0; token < logits.size(); ++token) {
    if (!(logits[token] >= floor))
      continue;
    kept.push_back({logits[token], static_cast<int32_t>(token)});
    if (kept.size() < room)
      continue;
    shrink();
    floor = std::nextafter(kept[count - 1].logit, std::numeric_limits<float>::infinity());
  }
  shrink();
  if (count < logits.size())
    std::sort(kept.begin(), kept.end(),
              [](const Candidate &a, const Candidate &b) { return a.token < b.token; });
}

void TokenFilter::weigh(float largest, double temperature) {
  weights.resize(kept.size());
  for (size_t i = 0; i < kept.size(); ++i)
    weights[i] = (static_cast<double>(kept[i].logit) - static_cast<double>(largest)) / temperature;
  expOfNegatives(weights.data(), weights.size());
}

TokenFilter::Candidate TokenFilter::topPEnd(float largest) const {
  // Ranges of equal width down to the least logit, or to where nothing counts any more.
  constexpr int kRanges = 1024;
  constexpr double kDepth = 40;
  float least = largest;
  double enough = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    least = std::min(least, kept[i].logit);
    enough += weights[i];
  }
  enough *= options.topP;
  const double depth = std::min(static_cast<double>(largest) - static_cast<double>(least), kDepth);
  const double scale = depth > 0 ? kRanges / depth : 0;
  auto rangeOf = [&](float logit) {
    const double range = (static_cast<double>(largest) - static_cast<double>(logit)) * scale;
    return static_cast<size_t>(std::min<double>(range, kRanges - 1));
  };
  double sums[kRanges] = {};
  for (size_t i = 0; i < kept.size(); ++i)
    sums[rangeOf(kept[i].logit)] += weights[i];
  double reached = 0;
  size_t last = 0;
  while (last + 1 < kRanges && reached + sums[last] < enough)
    reached += sums[last++];

  std::vector<std::pair<Candidate, double>> there;
  for (size_t i = 0; i < kept.size(); ++i)
    if (rangeOf(kept[i].logit) == last)
      there.emplace_back(kept[i], weights[i]);
  std::sort(there.begin(), there.end(),
            [](const auto &a, const auto &b) { return likelier(a.first, b.first); });
  for (const auto &[candidate, weight] : there) {
    reached += weight;
    if (reached >= enough)
      return candidate;
  }
  // Rounding: the sum is not reached. Then all in the range stay.
  return there.back().first;
}

const TokenDistribution &TokenFilter::apply(absl::Span<const float> logits) {
  constexpr float kLowest = std::numeric_limits<float>::lowest(); // leaves −infinity out
  const float largest = largestLogit(logits);
  const bool limited = options.topK > 0 && static_cast<uint64_t>(options.topK) < logits.size();
  float floor = kLowest;
  if (options.topP >= 1) // What min-p will leave out need not be gathered; it rounds otherwise.
    floor = static_cast<float>(std::max<double>(largest + std::log(options.minP) - 1e-3, kLowest));
  gather(logits, limited ? static_cast<size_t>(options.topK) : logits.size(), floor);

  if (options.topP < 1 || options.minP > 0) {
    weigh(largest, 1);
    const Candidate end = options.topP < 1 ? topPEnd(largest) : Candidate{kLowest, INT32_MAX};
    size_t left = 0;
    for (size_t i = 0; i < kept.size(); ++i)
      if (weights[i] >= options.minP && !likelier(end, kept[i]))
        kept[left++] = kept[i];
    kept.resize(left);
  }
  weigh(largest, options.temperature);
  result.tokens.resize(kept.size());
  result.total = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    result.tokens[i] = kept[i].token;
    result.total += weights[i];
  }
  result.weights = weights;
  return result;
}
