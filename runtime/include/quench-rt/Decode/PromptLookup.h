//===- PromptLookup.h - drafts copied from the text so far ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where the last tokens have occurred before, what followed them then is proposed
// again. The idea: A. Saxena, "Prompt Lookup Decoding", 2023.
//
// The longest suffix of at most `longest` tokens that has occurred earlier is taken,
// down to `shortest`, and of its earlier occurrences the most recent. Two tokens are
// the shortest by default: single tokens recur everywhere, and a wrong draft costs a
// wider step.
//
// A continuation that reaches the end of the sequence goes on in the draft itself, as
// copying does in LZ77: after "a b a b a" the draft is "b a b a".
//
// An index from each n-gram to its last occurrence is kept up to date as tokens come,
// so that a token and a proposal cost a few hash table operations each, however long
// the text is.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_PROMPTLOOKUP_H
#define QUENCH_RT_DECODE_PROMPTLOOKUP_H

#include "quench-rt/Decode/DraftSource.h"

#include "absl/container/flat_hash_map.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qrt {

struct PromptLookupOptions {
  int longest = 4;
  int shortest = 2; ///< at least 1, at most `longest`
};

class PromptLookup final : public DraftSource {
public:
  explicit PromptLookup(const PromptLookupOptions &options = {});

  void begin(absl::Span<const int32_t> prompt) override;
  void append(absl::Span<const int32_t> tokens) override;
  int64_t propose(absl::Span<const int32_t> pending, absl::Span<int32_t> candidates) override;

private:
  /// Hash of the n tokens that end before `end`.
  uint64_t hashBefore(size_t end, int n) const;

  PromptLookupOptions options;
  std::vector<int32_t> sequence;
  /// For each length, from the hash of an n-gram to the index behind its last
  /// occurrence that has a successor. Two n-grams may share a hash: compare.
  std::vector<absl::flat_hash_map<uint64_t, size_t>> lastSeen;
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_PROMPTLOOKUP_H
