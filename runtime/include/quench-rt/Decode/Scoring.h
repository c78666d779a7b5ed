//===- Scoring.h - how likely a text is to a model ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_SCORING_H
#define QUENCH_RT_DECODE_SCORING_H

#include "quench-rt/Decode/Session.h"
#include "quench-rt/Tokenizer/Tokenizer.h"

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace qrt {

struct PositionScore {
  int32_t token = 0; ///< at this position
  /// The most likely tokens to follow, with their logits, largest first.
  std::vector<std::pair<int32_t, float>> top;
  /// Loss of the token that does follow, in nats; none at the last position.
  absl::optional<double> nllOfNext;
};

/// Runs the tokens through the session, which starts anew. InvalidArgument if there are
/// none, or more than the context; Cancelled if `cancelled`, which may be empty and is
/// asked now and then, returns true.
absl::StatusOr<std::vector<PositionScore>> score(Session &session, absl::Span<const int32_t> tokens,
                                                 size_t topK,
                                                 const std::function<bool()> &cancelled = nullptr);

struct PerplexityOptions {
  /// Tokens of a window, 3 to the session's context.
  int64_t window = 512;
  /// Put in place of the first token of each window. None: that token stays.
  absl::optional<int32_t> beginningOfText;
  /// Told after each window how many are done, of how many, and the perplexity so far.
  std::function<void(int64_t done, int64_t windows, double perplexity)> progress;
  std::function<bool()> cancelled; ///< as in score()
};

/// With the beginning of text that texts of this tokenizer have.
PerplexityOptions perplexityOptionsFor(const Tokenizer &tokenizer);

struct Perplexity {
  double perplexity = 0;    ///< exp of the mean loss
  double standardError = 0; ///< of the perplexity: perplexity · standard error of the mean loss
  int64_t tokens = 0;       ///< scored
};

/// Perplexity as llama.cpp's tool of that name defines it. The tokens (of the whole
/// text, a beginning-of-text token included where the tokenizer adds one) are cut into
/// windows; what is left at the end is not used. Each window is run on its own. With w
/// tokens in a window, the predictions made at its positions w/2 to w−2 count: the
/// first half is context only. InvalidArgument if the text is shorter than one window.
absl::StatusOr<Perplexity> perplexity(Session &session, absl::Span<const int32_t> tokens,
                                      const PerplexityOptions &options);

} // namespace qrt

#endif // QUENCH_RT_DECODE_SCORING_H
