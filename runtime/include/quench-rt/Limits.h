//===- Limits.h - bounds that compiler and runtime agree on ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIMITS_H
#define QUENCH_RT_LIMITS_H

#include <cstdint>

namespace qrt {

/// The most tokens that a round drafts: with the pending one they make a step of 8 rows,
/// the widest that kernels unroll.
inline constexpr int64_t kMaxDraft = 7;

/// The largest page of a cache, 1 GiB, so that sizes of pages and heads never overflow.
inline constexpr int64_t kMaxPageBytes = int64_t(1) << 30;

} // namespace qrt

#endif // QUENCH_RT_LIMITS_H
