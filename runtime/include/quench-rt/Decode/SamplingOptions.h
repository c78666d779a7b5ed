//===- SamplingOptions.h - how the next token is chosen -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The order of processing, that of llama.cpp:
//
//   logit bias → penalties → top-k → top-p → min-p → temperature → draw
//
// At temperature 0 the choice is the token with the largest logit after bias and
// penalties; top-k, top-p, min-p and the seed then have no effect.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_SAMPLINGOPTIONS_H
#define QUENCH_RT_DECODE_SAMPLINGOPTIONS_H

#include "absl/status/status.h"
#include "absl/types/optional.h"

#include <cstdint>
#include <vector>

namespace qrt {

/// Added to the logit of a token; −infinity excludes it.
struct LogitBias {
  int32_t token = 0;
  double bias = 0;
};

/// Logits and what is subtracted from them are in nats. Defaults are llama.cpp's, except
/// that decoding is greedy.
struct SamplingOptions {
  /// Logits are divided by it. 0: the likeliest token, of equal ones the lowest id.
  double temperature = 0;
  /// Keeps the k likeliest tokens, of equal ones the lowest ids. 0: all.
  int64_t topK = 40;
  /// Keeps the fewest tokens, likeliest first, whose probabilities (before the
  /// temperature, among the tokens that are left) add up to this. The likeliest always
  /// stays. 1: all.
  double topP = 0.95;
  /// Keeps tokens that are at least this many times as likely as the likeliest (before
  /// the temperature). 0: all.
  double minP = 0.05;

  /// Penalties concern tokens among the last `repeatLastN` of prompt and output; 0: none,
  /// −1: all of them. A token's positive logit is divided by `repeatPenalty`, any other
  /// multiplied; then `frequencyPenalty` is subtracted for each occurrence and
  /// `presencePenalty` once.
  int64_t repeatLastN = 64;
  double repeatPenalty = 1;
  double frequencyPenalty = 0;
  double presencePenalty = 0;

  /// Biases of the same token add up.
  std::vector<LogitBias> biases;

  /// Reports the log-probability of each token and of this many likeliest ones.
  absl::optional<int64_t> logprobs;

  uint64_t seed = 0;

  bool penalizes() const {
    return repeatLastN != 0 &&
           (repeatPenalty != 1 || frequencyPenalty != 0 || presencePenalty != 0);
  }

  /// Whether the choice is the largest logit of the model and nothing is reported about
  /// the others, so that the program's fused entry points do.
  bool isPlainGreedy() const {
    return temperature == 0 && biases.empty() && !penalizes() && !logprobs;
  }

  /// InvalidArgument, "NAME: found VALUE, expected …", for a value out of range. Names are
  /// those of the command line without dashes.
  absl::Status check(int64_t vocabularySize) const;
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_SAMPLINGOPTIONS_H
