//===- PromptLookup.cpp - drafts copied from the text so far --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/PromptLookup.h"

#include <algorithm>

using namespace qrt;

PromptLookup::PromptLookup(const PromptLookupOptions &given) : options(given) {
  options.shortest = std::max(1, options.shortest);
  options.longest = std::max(options.shortest, options.longest);
  lastSeen.resize(static_cast<size_t>(options.longest) + 1);
}

void PromptLookup::begin(absl::Span<const int32_t> prompt) {
  sequence.clear();
  for (auto &index : lastSeen)
    index.clear();
  append(prompt);
}

uint64_t PromptLookup::hashBefore(size_t end, int n) const {
  uint64_t hash = 0;
  for (size_t i = end - static_cast<size_t>(n); i < end; ++i) {
    hash = (hash ^ static_cast<uint32_t>(sequence[i])) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

void PromptLookup::append(absl::Span<const int32_t> tokens) {
  for (int32_t token : tokens) {
    // Only now do the n-grams that end here have a successor worth proposing.
    const size_t end = sequence.size();
    for (int n = options.shortest; n <= options.longest && static_cast<size_t>(n) <= end; ++n)
      lastSeen[static_cast<size_t>(n)][hashBefore(end, n)] = end;
    sequence.push_back(token);
  }
}

int64_t PromptLookup::propose(absl::Span<const int32_t> pending, absl::Span<int32_t> candidates) {
  const size_t end = sequence.size();
  if (pending.size() > end || !std::equal(pending.rbegin(), pending.rend(), sequence.rbegin()))
    return 0; // asked about another sequence
  for (int n = options.longest; n >= options.shortest; --n) {
    if (static_cast<size_t>(n) > end)
      continue;
    const auto &index = lastSeen[static_cast<size_t>(n)];
    auto found = index.find(hashBefore(end, n));
    if (found == index.end() ||
        !std::equal(sequence.end() - n, sequence.end(),
                    sequence.begin() + static_cast<ptrdiff_t>(found->second) - n))
      continue;
    for (size_t i = 0; i < candidates.size(); ++i) {
      const size_t from = found->second + i;
      candidates[i] = from < end ? sequence[from] : candidates[from - end];
    }
    return static_cast<int64_t>(candidates.size());
  }
  return 0;
}
