//===- Blocks.h - 32 weights of a block format -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_REFERENCE_BLOCKS_H
#define QUENCH_TEST_REFERENCE_BLOCKS_H

#include "Reference.h"

namespace quench::reference {

/// What an integer product needs of 32 consecutive weights: weight i is
/// scale · factor[i / 16] · code[i] + minimum · minimumFactor[i / 16]. Factors are 1 where
/// a format has none.
struct WeightBlock {
  float scale = 0, minimum = 0; ///< rounded to f32 as the format says
  int factor[2] = {1, 1}, minimumFactor[2] = {1, 1};
  int codes[32] = {};
  bool hasMinimum = false;
  bool hasMinimumFactors = false; ///< the minimum meets sums of codes, not the scaled sum
};

/// Block `b` of a row in canonical bytes.
WeightBlock weightBlock(qrt::Format format, const uint8_t *row, size_t b);

} // namespace quench::reference

#endif // QUENCH_TEST_REFERENCE_BLOCKS_H
