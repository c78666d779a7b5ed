//===- DraftModel.h - a smaller model of the same program proposes ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The draft of a joined program, on a cache of its own. A fused round drafts inside
// compiled code; where the target is sampled, the draft's own entries run: greedily in
// propose(), so that candidates depend on nothing but the sequence, or with the sampling
// options of the target in draw().
//
// The cache may be behind the sequence, since the last candidate is never run, or
// ahead with candidates that were rejected; either is put right by the next use.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_DRAFTMODEL_H
#define QUENCH_RT_DECODE_DRAFTMODEL_H

#include "quench-rt/Decode/DraftSource.h"
#include "quench-rt/Decode/LanguageModel.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace qrt {

class DraftModel final : public DraftSource, private StochasticSource {
public:
  /// Borrows the executable. FailedPrecondition if its program has no draft model for a
  /// target with this vocabulary.
  static absl::StatusOr<std::unique_ptr<DraftModel>>
  create(const Executable &executable, int64_t contextLength, int64_t vocabularySize);

  void begin(absl::Span<const int32_t> prompt) override;
  void append(absl::Span<const int32_t> tokens) override;
  int64_t propose(absl::Span<const int32_t> pending, absl::Span<int32_t> candidates) override;
  StochasticSource *stochastic() override { return this; }
  absl::Status status() const override { return failure; }

  /// For a fused round with at most `limit` candidates: brings the cache so far that it
  /// lacks one or two tokens of the sequence, returns them and reserves what the round
  /// appends.
  absl::StatusOr<absl::Span<const int32_t>> prepare(int64_t limit);
  qrt_tensor cacheArg() { return model->cacheArg(); }
  /// After that round: these tokens follow the sequence, and the cache has as many as its
  /// length says. Internal if that is more than there are or fewer than before.
  absl::Status takeRound(absl::Span<const int32_t> emitted);
  /// After a round that failed.
  void dropRound();

private:
  explicit DraftModel(std::unique_ptr<LanguageModel> model) : model(std::move(model)) {}

  /// Drops from the cache what is not the sequence's; the tokens that it lacks.
  absl::StatusOr<absl::Span<const int32_t>> lacking();
  absl::Status run(absl::Span<const int32_t> tokens);
  /// Runs what the cache lacks but the newest token, which is returned.
  absl::StatusOr<int32_t> catchUp();
  absl::StatusOr<int64_t> tryPropose(absl::Span<int32_t> candidates);
  absl::StatusOr<std::vector<Proposal>> draw(Sampler &sampler, int64_t limit) override;

  std::unique_ptr<LanguageModel> model;
  std::vector<int32_t> sequence;
  std::vector<int32_t> held; ///< tokens of the cache's positions
  absl::Status failure;
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_DRAFTMODEL_H
