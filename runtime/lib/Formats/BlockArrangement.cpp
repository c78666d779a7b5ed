//===- BlockArrangement.cpp - the parts of a block in layout rows8 --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/BlockArrangement.h"

using namespace qrt;

std::optional<BlockArrangement> qrt::blockArrangement(Format format) {
  using Scales = GroupScales;
  constexpr bool min = true, asStored = true, signedBytes = true;
  switch (format) {
  case Format::F32:
  case Format::F16:
  case Format::BF16:
    return std::nullopt;
  case Format::Q4_0: // nibble byte j already pairs the codes of k = j and k = 16+j
    return BlockArrangement{!min, Scales::None, {4}, 8, !signedBytes, asStored};
  case Format::Q4_1:
    return BlockArrangement{min, Scales::None, {4}, 0, !signedBytes, asStored};
  case Format::Q8_0:
    return BlockArrangement{!min, Scales::None, {8}, 0, signedBytes, asStored};
  case Format::Q5_0:
    return BlockArrangement{!min, Scales::None, {4, 1}, 16};
  case Format::Q5_1:
    return BlockArrangement{min, Scales::None, {4, 1}, 0};
  case Format::Q2_K:
    return BlockArrangement{min, Scales::PerHalfWithMinima, {2}, 0};
  case Format::Q3_K:
    return BlockArrangement{!min, Scales::PerHalf, {2, 1}, 4};
  case Format::Q4_K:
    return BlockArrangement{min, Scales::PerBlock, {4}, 0};
  case Format::Q5_K:
    return BlockArrangement{min, Scales::PerBlock, {4, 1}, 0};
  case Format::Q6_K:
    return BlockArrangement{!min, Scales::PerHalf, {4, 2}, 32};
  }
  return std::nullopt;
}
