//===- TokenFilter.h - from logits to a distribution to draw from ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Top-k, top-p, min-p and temperature, in this order, as SamplingOptions.h defines them.
// A vocabulary is never sorted as a whole: the k likeliest come out of one pass, and top-p
// counts probabilities by ranges of logits and sorts only the range where it ends.
//
// Sums are in f64 and in a fixed order, and exp is the runtime's own, so that a
// distribution has the same bits on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_TOKENFILTER_H
#define QUENCH_RT_DECODE_TOKENFILTER_H

#include "quench-rt/Decode/SamplingOptions.h"

#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qrt {

/// Probabilities of some tokens; of all others they are 0.
struct TokenDistribution {
  std::vector<int32_t> tokens; ///< ascending, at least one
  std::vector<double> weights; ///< proportional to probabilities, none larger than 1
  double total = 0;            ///< of the weights, added up in their order

  /// The token at which the cumulative probability exceeds `uniform`, from [0, 1).
  int32_t draw(double uniform) const;

  double probability(int32_t token) const;
};

class TokenFilter {
public:
  /// The temperature must be positive.
  explicit TokenFilter(const SamplingOptions &options) : options(options) {}

  /// `logits` are finite or −infinity, one at least finite. Valid until the next call.
  const TokenDistribution &apply(absl::Span<const float> logits);

private:
  struct Candidate {
    float logit;
    int32_t token;
  };
  static bool likelier(const Candidate &a, const Candidate &b);

  /// Makes `kept` the `count` likeliest tokens with logits of at least `floor`, by token.
  void gather(absl::Span<const float> logits, size_t count, float floor);
  /// Makes `weights` the probabilities of `kept` relative to that of the likeliest.
  void weigh(float largest, double temperature);
  /// The last one of `kept`, likeliest first, that top-p keeps.
  Candidate topPEnd(float largest) const;

  SamplingOptions options;
  std::vector<Candidate> kept;
  std::vector<double> weights;
  TokenDistribution result;
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_TOKENFILTER_H
