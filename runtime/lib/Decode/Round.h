//===- Round.h - one draft and one verify ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// All routes append the pending token and the accepted candidates to the session's
// cache and emit the accepted candidates and one token more. Without a source there are
// no candidates.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_DECODE_ROUND_H
#define QUENCH_RT_LIB_DECODE_ROUND_H

#include "quench-rt/Decode/DraftSource.h"
#include "quench-rt/Decode/Sampler.h"
#include "quench-rt/Decode/Session.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <vector>

namespace qrt {

struct Emitted {
  std::vector<SampledToken> tokens;
  int64_t drafted = 0;
  int64_t accepted = 0;
};

/// The choice is made in the program, by its entries `greedy` and `round`.
absl::StatusOr<Emitted> fusedRound(Session &session, int32_t pending, int64_t limit,
                                   DraftSource *source);

/// Pending token and candidates go through the program's entry `logits` in one step, and
/// the sampler chooses row by row. A candidate is accepted if it is what the sampler chose
/// at its place, so what is emitted does not depend on the candidates. The sampler has been
/// told the sequence up to the pending token, and then what was emitted.
absl::StatusOr<Emitted> sampledRound(Session &session, int32_t pending, int64_t limit,
                                     DraftSource *source, Sampler &sampler);

/// The same with drawn candidates and rejection sampling. What is emitted depends on the
/// candidates, its distribution does not. `drafting` has the options of `sampler`.
absl::StatusOr<Emitted> rejectionRound(Session &session, int32_t pending, int64_t limit,
                                       StochasticSource &source, Sampler &sampler,
                                       Sampler &drafting);

} // namespace qrt

#endif // QUENCH_RT_LIB_DECODE_ROUND_H
