//===- SyntheticSource.h - drafts that are right exactly as far as told ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_RUNTIME_SYNTHETICSOURCE_H
#define QUENCH_TEST_RUNTIME_SYNTHETICSOURCE_H

#include "quench-rt/Decode/DraftSource.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace qrt::test {

/// Knows what plain decoding emits. Each draft has the asked number of tokens, of which
/// the first `right` are what plain decoding will emit and the next is something else.
class SyntheticSource final : public DraftSource {
public:
  struct Plan {
    int64_t length;
    int64_t right;
  };

  /// `plan(round)` says what to propose in each round.
  SyntheticSource(std::vector<int32_t> plain, std::function<Plan(int64_t round)> plan,
                  int32_t vocabulary = 32)
      : plain(std::move(plain)), plan(std::move(plan)), vocabulary(vocabulary) {}

  void begin(absl::Span<const int32_t> prompt) override {
    last = prompt.back();
    emitted = 0;
    rounds = 0;
  }

  void append(absl::Span<const int32_t> tokens) override {
    EXPECT_FALSE(tokens.empty());
    last = tokens.back();
    emitted += tokens.size();
  }

  int64_t propose(absl::Span<const int32_t> pending, absl::Span<int32_t> candidates) override {
    EXPECT_EQ(pending.size(), 1u);
    EXPECT_EQ(pending.back(), last);
    Plan now = plan(rounds++);
    int64_t count = std::min(now.length, static_cast<int64_t>(candidates.size()));
    for (int64_t i = 0; i < count; ++i) {
      size_t at = emitted + static_cast<size_t>(i);
      int32_t next = at < plain.size() ? plain[at] : 0;
      candidates[static_cast<size_t>(i)] = i < now.right ? next : (next + 1) % vocabulary;
    }
    lengths.push_back(count);
    return count;
  }

  std::vector<int64_t> lengths; ///< of the drafts so far

private:
  std::vector<int32_t> plain;
  std::function<Plan(int64_t)> plan;
  int32_t vocabulary;
  int32_t last = 0;
  size_t emitted = 0;
  int64_t rounds = 0;
};

/// Ids as letters, so that tests can read the text.
inline char letter(int32_t id) { return static_cast<char>(id < 26 ? 'a' + id : 'A' + id - 26); }

} // namespace qrt::test

#endif // QUENCH_TEST_RUNTIME_SYNTHETICSOURCE_H
