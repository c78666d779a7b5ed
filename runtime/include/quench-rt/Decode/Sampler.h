//===- Sampler.h - chooses the token that follows a sequence --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What follows a sequence is a function of its tokens, of the logits and of the options:
// a sampler that was told the same tokens in another way chooses the same.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_SAMPLER_H
#define QUENCH_RT_DECODE_SAMPLER_H

#include "quench-rt/Decode/KeyedRandom.h"
#include "quench-rt/Decode/LogitProcessors.h"
#include "quench-rt/Decode/SamplingOptions.h"
#include "quench-rt/Decode/TokenFilter.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace qrt {

/// Natural logarithms of the probabilities that the model gives: softmax of its logits,
/// before biases, penalties and temperature.
struct TokenLogprobs {
  double chosen = 0;
  /// The likeliest tokens, likeliest first.
  std::vector<std::pair<int32_t, double>> top;

  friend bool operator==(const TokenLogprobs &a, const TokenLogprobs &b) {
    return a.chosen == b.chosen && a.top == b.top;
  }
};

struct SampledToken {
  int32_t id = 0;
  float logit = 0;        ///< the model's
  TokenLogprobs logprobs; ///< if asked for
};

class Sampler {
public:
  /// The options must have been checked.
  explicit Sampler(SamplingOptions options);

  /// A new sequence starts with these tokens.
  void begin(absl::Span<const int32_t> prompt);

  /// This token follows.
  void append(int32_t token);

  /// Chooses what follows the sequence from the model's logits for it. Internal if one of
  /// them is NaN or +infinity; InvalidArgument if biases leave no token.
  absl::StatusOr<SampledToken> sample(absl::Span<const float> logits);

  /// The sequence of another sampler with the same options is that of this one as well.
  void follow(const Sampler &other);

  /// What sample() draws from, with the same errors; the temperature must be positive.
  /// Valid until the next call of this or of sample().
  absl::StatusOr<const TokenDistribution *> distribution(absl::Span<const float> logits);
  /// The random number for the next token.
  double uniform(DrawPurpose purpose) const { return uniformDraw(options.seed, position, purpose); }
  /// What is reported about a token that was chosen by these logits.
  SampledToken report(int32_t token, absl::Span<const float> logits) const;

private:
  /// The logits after biases and penalties, of which one is finite at least.
  absl::StatusOr<absl::Span<const float>> process(absl::Span<const float> logits);

  SamplingOptions options;
  RecentTokens recent;
  TokenFilter filter;
  uint64_t position = 0; ///< of the next token
  std::vector<float> processed;
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_SAMPLER_H
