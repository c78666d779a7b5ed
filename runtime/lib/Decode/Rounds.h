//===- Rounds.h - the kind of round that options ask for -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_DECODE_ROUNDS_H
#define QUENCH_RT_LIB_DECODE_ROUNDS_H

#include "Round.h"

#include "quench-rt/Decode/Generator.h"

#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace qrt {

class Rounds {
public:
  Rounds(Session &session, const GenerateOptions &options)
      : session(session), draft(options.draft.source) {
    if (options.sampling.isPlainGreedy())
      return;
    sampler.emplace(options.sampling);
    if (draft && options.draft.acceptance == AcceptanceRule::Rejection &&
        options.sampling.temperature > 0)
      drafting.emplace(options.sampling);
  }

  void begin(absl::Span<const int32_t> prompt) {
    if (sampler)
      sampler->begin(prompt);
  }

  absl::StatusOr<Emitted> run(int32_t pending, int64_t limit) {
    if (!sampler)
      return fusedRound(session, pending, limit, draft);
    if (!drafting)
      return sampledRound(session, pending, limit, draft, *sampler);
    return rejectionRound(session, pending, limit, *draft->stochastic(), *sampler, *drafting);
  }

private:
  Session &session;
  DraftSource *draft;
  absl::optional<Sampler> sampler;
  absl::optional<Sampler> drafting; ///< for candidates that are drawn
};

} // namespace qrt

#endif // QUENCH_RT_LIB_DECODE_ROUNDS_H
