//===- BlockCodes.h - the integers of a block -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_FORMATS_BLOCKCODES_H
#define QUENCH_RT_FORMATS_BLOCKCODES_H

#include <cstdint>

namespace qrt {

/// What a block's bytes hold, before any scale meets a code.
struct BlockCodes {
  uint16_t d = 0; ///< f16 word of the scale
  uint16_t m = 0; ///< f16 word of the minimum, or of the scale of minima; else 0
  /// Of the groups of a super-block, in order, with the sign that the format gives them.
  int8_t scales[16] = {};
  uint8_t minima[16] = {};
  /// As stored: what a format subtracts from them is not yet subtracted. Those of Q8_0
  /// are bytes of signed numbers.
  uint8_t codes[256] = {};
};

} // namespace qrt

#endif // QUENCH_RT_FORMATS_BLOCKCODES_H
