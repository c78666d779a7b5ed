//===- Ordered.h - results to the bit --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where the description of an op fixes the order of every f32 operation there is
// only one right answer. These functions compute it, one scalar at a time, so that a
// kernel that sums in another order fails even where its error would be acceptable.
// `fused` says whether the target has a fused multiply-add; without one, the product
// rounds first.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_REFERENCE_ORDERED_H
#define QUENCH_TEST_REFERENCE_ORDERED_H

#include "Reference.h"

namespace quench::reference {

Row orderedLinear(const Row &x, const Weight &weight, Activations activations, bool fused);
Row orderedRmsNorm(const Row &x, const Row &weight, float eps, bool fused);
/// `bias` may be empty.
Row orderedLayerNorm(const Row &x, const Row &weight, const Row &bias, float eps, bool fused);

/// Equal bits, any NaN being equal to any NaN: the sign and payload of a NaN are the
/// processor's.
bool sameNumber(float a, float b);

} // namespace quench::reference

#endif // QUENCH_TEST_REFERENCE_ORDERED_H
