//===- Pairwise.h - few cases in which every pair of choices meets ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_NUMERICS_PAIRWISE_H
#define QUENCH_TEST_NUMERICS_PAIRWISE_H

#include <cstdint>
#include <functional>
#include <vector>

namespace quench::numerics {

/// One choice for each factor.
using Choices = std::vector<int64_t>;

/// Cases such that each pair of choices of two different factors, where `allowed` lets
/// it be at all, is in at least one. `sizes` are the numbers of choices. The same seed
/// gives the same cases. (Greedy: of some random cases that contain the first pair still
/// missing, the one with the most missing pairs.)
std::vector<Choices> samplePairs(const std::vector<int64_t> &sizes, uint64_t seed,
                                 const std::function<bool(const Choices &)> &allowed = {});

} // namespace quench::numerics

#endif // QUENCH_TEST_NUMERICS_PAIRWISE_H
