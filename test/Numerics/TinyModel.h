//===- TinyModel.h - a language model of two layers ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_NUMERICS_TINYMODEL_H
#define QUENCH_TEST_NUMERICS_TINYMODEL_H

#include "Job.h"

#include <string>
#include <vector>

namespace quench::numerics {

/// What importers make of a Llama, small enough to compile in a second: two layers,
/// 4 query heads and 2 cache heads of 16, 64 features, 96 in between, 133 tokens; Q4_1
/// layers, a Q8_0 table for both ends. Pages of 8 positions, f16 with i8 activations
/// and f32 with f32 ones. Entries: prefill, logits, greedy.
struct TinyModel {
  explicit TinyModel(reference::Activations activations);

  static constexpr int64_t kTokens = 133, kSlots = 8, kMaxRows = 64;

  std::string text;
  Job weights; ///< without calls

  /// A call of an entry with some of `tokens`, on cache 0, which has `before` positions.
  static Call call(const std::string &entry, const std::vector<int32_t> &tokens, int64_t before,
                   int64_t count);
};

/// Tokens with repetitions, as text has them.
std::vector<int32_t> makeTokens(int64_t count, uint64_t seed);

} // namespace quench::numerics

#endif // QUENCH_TEST_NUMERICS_TINYMODEL_H
