//===- Pairwise.cpp - few cases in which every pair of choices meets -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Pairwise.h"

#include "Values.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace quench::numerics;

namespace {
using Pair = std::tuple<size_t, int64_t, size_t, int64_t>; // factor, choice, later factor, choice

template <typename Fn> void forEachPair(const Choices &choices, Fn fn) {
  for (size_t a = 0; a < choices.size(); ++a)
    for (size_t b = a + 1; b < choices.size(); ++b)
      fn(Pair(a, choices[a], b, choices[b]));
}
} // namespace

std::vector<Choices>
quench::numerics::samplePairs(const std::vector<int64_t> &sizes, uint64_t seed,
                              const std::function<bool(const Choices &)> &allowed) {
  std::set<Pair> missing;
  for (size_t a = 0; a < sizes.size(); ++a)
    for (size_t b = a + 1; b < sizes.size(); ++b)
      for (int64_t i = 0; i < sizes[a]; ++i)
        for (int64_t j = 0; j < sizes[b]; ++j)
          missing.insert(Pair(a, i, b, j));

  Random random(seed);
  std::vector<Choices> cases;
  while (!missing.empty()) {
    const auto [a, i, b, j] = *missing.begin();
    Choices best;
    int64_t bestCount = 0;
    // A pair that no case may contain is given up after many attempts.
    for (int attempt = 0, found = 0; attempt < 2000 && found < 24; ++attempt) {
      Choices choices;
      for (int64_t size : sizes)
        choices.push_back(random.below(size));
      choices[a] = i;
      choices[b] = j;
      if (allowed && !allowed(choices))
        continue;
      ++found;
      int64_t count = 0;
      forEachPair(choices, [&](const Pair &pair) { count += int64_t(missing.count(pair)); });
      if (count > bestCount) {
        best = choices;
        bestCount = count;
      }
    }
    if (best.empty()) {
      missing.erase(missing.begin());
      continue;
    }
    forEachPair(best, [&](const Pair &pair) { missing.erase(pair); });
    cases.push_back(std::move(best));
  }
  return cases;
}
