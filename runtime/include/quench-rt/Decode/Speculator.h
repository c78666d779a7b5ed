//===- Speculator.h - whole generations, and their comparison --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   Speculator speculator(session);
//   GenerateOptions options;
//   options.maxTokens = 64;
//   options.draft.source = &lookup;        // null: plain decoding
//   absl::StatusOr<Generation> result = speculator.generate(prompt, options);
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_SPECULATOR_H
#define QUENCH_RT_DECODE_SPECULATOR_H

#include "quench-rt/Decode/Generator.h"
#include "quench-rt/Decode/Session.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <string>

namespace qrt {

class Speculator {
public:
  /// Borrows the session.
  explicit Speculator(Session &session) : session(session) {}

  /// All steps of a Generator.
  absl::StatusOr<Generation> generate(absl::Span<const int32_t> prompt,
                                      const GenerateOptions &options);

private:
  Session &session;
};

/// What two generations of one prompt had in common.
struct LosslessReport {
  Generation plain;
  Generation speculative;
  std::string plainCacheHash; ///< of positions 0 to prompt + n - 2
  std::string speculativeCacheHash;
  /// Empty if tokens, bits of their logits and cache were the same; else the first
  /// difference in a sentence.
  std::string difference;

  bool lossless() const { return difference.empty(); }
};

/// Generates twice, without and with drafts, through the entry points that
/// generate() uses, and compares. InvalidArgument for what need not be the same: rejection
/// sampling. Text goes to `onText` in the second run only.
absl::StatusOr<LosslessReport> checkLossless(Session &session, absl::Span<const int32_t> prompt,
                                             const GenerateOptions &options);

} // namespace qrt

#endif // QUENCH_RT_DECODE_SPECULATOR_H
