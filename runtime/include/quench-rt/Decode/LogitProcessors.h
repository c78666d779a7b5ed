//===- LogitProcessors.h - what changes logits before a choice ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Logits are finite or −infinity before and after: what exceeds the range of f32 becomes
// its largest number. Each is computed in f64 and rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_LOGITPROCESSORS_H
#define QUENCH_RT_DECODE_LOGITPROCESSORS_H

#include "quench-rt/Decode/SamplingOptions.h"

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace qrt {

/// How often each token occurs among the last ones of a sequence.
class RecentTokens {
public:
  /// Of the last `window` tokens; −1: of all.
  explicit RecentTokens(int64_t window) : window(window) {}

  void clear();
  void append(int32_t token);

  /// Positive counts, in no particular order.
  const absl::flat_hash_map<int32_t, int64_t> &counts() const { return occurrences; }

private:
  int64_t window;
  absl::flat_hash_map<int32_t, int64_t> occurrences;
  /// The last tokens; a ring once it is full.
  std::vector<int32_t> tokens;
  size_t oldest = 0;
};

/// Adds the biases. Their tokens must be in the vocabulary.
void addBiases(absl::Span<const LogitBias> biases, absl::Span<float> logits);

/// Applies the penalties of the options to the tokens in `recent`, which must be in the
/// vocabulary.
void applyPenalties(const SamplingOptions &options, const RecentTokens &recent,
                    absl::Span<float> logits);

} // namespace qrt

#endif // QUENCH_RT_DECODE_LOGITPROCESSORS_H
