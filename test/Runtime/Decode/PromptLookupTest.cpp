//===- PromptLookupTest.cpp - drafts copied from the text so far ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/PromptLookup.h"

#include "gtest/gtest.h"

#include <random>

using namespace qrt;

namespace {

using Tokens = std::vector<int32_t>;

Tokens propose(PromptLookup &lookup, const Tokens &sequence, size_t limit) {
  Tokens out(limit);
  out.resize(static_cast<size_t>(lookup.propose({&sequence.back(), 1}, absl::MakeSpan(out))));
  return out;
}

Tokens draft(const Tokens &sequence, size_t limit, PromptLookupOptions options = {}) {
  PromptLookup lookup(options);
  lookup.begin(sequence);
  return propose(lookup, sequence, limit);
}

TEST(PromptLookup, ContinuesAsItDidBefore) {
  EXPECT_EQ(draft({1, 2, 3, 4, 5, 9, 1, 2}, 3), Tokens({3, 4, 5}));
}

TEST(PromptLookup, PrefersTheLongestSuffix) {
  // "1 2" was last followed by 8, but "7 1 2" by 3.
  EXPECT_EQ(draft({7, 1, 2, 3, 4, 6, 1, 2, 8, 7, 1, 2}, 2), Tokens({3, 4}));
}

TEST(PromptLookup, PrefersTheMostRecentOccurrence) {
  EXPECT_EQ(draft({1, 2, 3, 1, 2, 4, 1, 2}, 1), Tokens({4}));
}

TEST(PromptLookup, OneTokenIsNotEnough) {
  EXPECT_EQ(draft({1, 5, 6, 1}, 4), Tokens());
  EXPECT_EQ(draft({1, 5, 6, 1}, 2, {4, 1}), Tokens({5, 6}));
}

TEST(PromptLookup, APeriodGoesOnInTheDraft) {
  EXPECT_EQ(draft({1, 2, 1, 2, 1}, 5), Tokens({2, 1, 2, 1, 2}));
  EXPECT_EQ(draft({4, 4, 4}, 4), Tokens({4, 4, 4, 4}));
}

TEST(PromptLookup, NothingNewNothingProposed) {
  EXPECT_EQ(draft({1, 2, 3, 4}, 4), Tokens());
  EXPECT_EQ(draft({1}, 4), Tokens());
  EXPECT_EQ(draft({1, 2, 1, 2}, 0), Tokens());
}

TEST(PromptLookup, AnotherSequenceIsNotAnswered) {
  PromptLookup lookup;
  lookup.begin({1, 2, 1, 2});
  Tokens out(2), other = {9};
  EXPECT_EQ(lookup.propose(other, absl::MakeSpan(out)), 0);
  lookup.begin({1, 2, 1, 2});
  Tokens longer = {0, 1, 2, 1, 2};
  EXPECT_EQ(lookup.propose(longer, absl::MakeSpan(out)), 0);
}

TEST(PromptLookup, BeginForgets) {
  PromptLookup lookup;
  lookup.begin({1, 2, 3, 1, 2});
  lookup.begin({5, 1, 2});
  EXPECT_EQ(propose(lookup, {5, 1, 2}, 2), Tokens());
}

/// The definition, written down plainly.
Tokens search(const Tokens &sequence, size_t limit, int longest, int shortest) {
  const auto end = static_cast<ptrdiff_t>(sequence.size());
  for (ptrdiff_t n = longest; n >= shortest; --n)
    for (ptrdiff_t at = end - 1; at >= n; --at) {
      if (n > end || !std::equal(sequence.end() - n, sequence.end(), sequence.begin() + at - n))
        continue;
      Tokens out, all = sequence;
      for (size_t i = 0; i < limit; ++i) {
        out.push_back(all[static_cast<size_t>(at) + i]);
        all.push_back(out.back());
      }
      return out;
    }
  return {};
}

TEST(PromptLookup, TheIndexFindsWhatASearchFinds) {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    Tokens sequence;
    for (unsigned n = 1 + random() % 10; n > 0; --n)
      sequence.push_back(static_cast<int32_t>(random() % 4));
    PromptLookup lookup;
    lookup.begin(sequence);
    for (int step = 0; step < 20; ++step) {
      EXPECT_EQ(propose(lookup, sequence, 7), search(sequence, 7, 4, 2));
      Tokens more;
      for (unsigned n = 1 + random() % 3; n > 0; --n)
        more.push_back(static_cast<int32_t>(random() % 4));
      lookup.append(more);
      sequence.insert(sequence.end(), more.begin(), more.end());
    }
  }
}

} // namespace
