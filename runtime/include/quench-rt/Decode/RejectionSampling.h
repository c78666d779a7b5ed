//===- RejectionSampling.h - a proposed token, or another in its place ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A token x that was drawn from q is accepted with probability min(1, p(x) / q(x)); if it is
// not, a token is drawn from what p has more of than q, max(0, p - q) normalized. What
// comes out is distributed as p: Y. Leviathan, M. Kalman, Y. Matias, "Fast Inference from
// Transformers via Speculative Decoding", ICML 2023.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_REJECTIONSAMPLING_H
#define QUENCH_RT_DECODE_REJECTIONSAMPLING_H

#include "quench-rt/Decode/TokenFilter.h"

#include <cstdint>

namespace qrt {

/// `proposed` must have been drawn from `q`. `uniform` is from [0, 1), independent of that
/// draw.
bool isAccepted(int32_t proposed, const TokenDistribution &p, const TokenDistribution &q,
                double uniform);

/// What takes the place of a token that was rejected; `uniform` is independent of all
/// else.
int32_t drawResidual(const TokenDistribution &p, const TokenDistribution &q, double uniform);

} // namespace qrt

#endif // QUENCH_RT_DECODE_REJECTIONSAMPLING_H
