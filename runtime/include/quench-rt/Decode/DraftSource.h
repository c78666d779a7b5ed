//===- DraftSource.h - who proposes tokens --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_DRAFTSOURCE_H
#define QUENCH_RT_DECODE_DRAFTSOURCE_H

#include "quench-rt/Decode/Sampler.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace qrt {

/// A token that was drawn, and from what.
struct Proposal {
  int32_t token = 0;
  TokenDistribution distribution;
};

/// Draws the tokens that it proposes.
class StochasticSource {
public:
  virtual ~StochasticSource() = default;

  /// At most `limit` tokens that may follow the sequence, each drawn from the
  /// distribution that comes with it, with the random number of `sampler` for
  /// DrawPurpose::Draft. The sampler has been told the sequence; afterwards it has been
  /// told the proposed tokens as well.
  virtual absl::StatusOr<std::vector<Proposal>> draw(Sampler &sampler, int64_t limit) = 0;
};

/// Proposes tokens that may come next. What it proposes changes the speed of a
/// generation, never its result; with drawn proposals, never the distribution of results.
///
/// A generation calls begin() with the prompt, then append() with what has been emitted
/// after each round, so that the source always knows the whole sequence.
class DraftSource {
public:
  virtual ~DraftSource() = default;

  /// Starts a new sequence with these tokens.
  virtual void begin(absl::Span<const int32_t> prompt) = 0;

  /// These tokens follow.
  virtual void append(absl::Span<const int32_t> tokens) = 0;

  /// Writes at most `candidates.size()` tokens that may follow the sequence and returns
  /// how many. `pending` are the last tokens of the sequence. Called from one thread at
  /// a time, which may be one of the device's in the middle of a step.
  virtual int64_t propose(absl::Span<const int32_t> pending, absl::Span<int32_t> candidates) = 0;

  /// The source as one that draws; null if it cannot.
  virtual StochasticSource *stochastic() { return nullptr; }

  /// What went wrong in one of the calls, which have no other way to say so.
  virtual absl::Status status() const { return absl::OkStatus(); }
};

/// Asks the source and returns how many of its candidates can be used: what is no token of
/// the vocabulary, and what follows it, cannot, since a candidate becomes an index into
/// the embedding.
int64_t proposeTokens(DraftSource &source, absl::Span<const int32_t> pending,
                      absl::Span<int32_t> candidates, int64_t vocabularySize);

} // namespace qrt

#endif // QUENCH_RT_DECODE_DRAFTSOURCE_H
