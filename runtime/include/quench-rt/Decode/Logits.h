//===- Logits.h - judging final logits ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The only numeric code of the runtime: what is done with the logits of one position
// after the model. Everything is in double precision.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_LOGITS_H
#define QUENCH_RT_DECODE_LOGITS_H

#include "absl/types/optional.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace qrt {

/// The largest; NaN counts as −infinity, and so does an empty span.
float largestLogit(absl::Span<const float> logits);

/// Index of the first that is NaN or +infinity, which no logit may be.
absl::optional<size_t> findImproperLogit(absl::Span<const float> logits);

/// log Σ exp(logits[i]), computed relative to the largest so that nothing overflows.
/// `logits` must not be empty. NaN if one of them is NaN or +infinity.
double logSumExp(absl::Span<const float> logits);

/// −log of the probability that softmax gives to `id`, in nats.
double negativeLogLikelihood(absl::Span<const float> logits, int32_t id);

/// The `k` largest with their indices, largest first, equal ones by index, NaN after all
/// numbers. Fewer if there are not so many.
std::vector<std::pair<int32_t, float>> topLogits(absl::Span<const float> logits, size_t k);

} // namespace qrt

#endif // QUENCH_RT_DECODE_LOGITS_H
