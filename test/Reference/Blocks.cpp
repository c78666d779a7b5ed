//===- Blocks.cpp - 32 weights of a block format ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "quench-rt/Formats/BlockCodes.h"
#include "quench-rt/Formats/Float16.h"

using namespace quench::reference;
using qrt::Format;

/// What the format subtracts from a code.
static int offsetOf(Format format) {
  switch (format) {
  case Format::Q4_0:
    return 8;
  case Format::Q5_0:
    return 16;
  case Format::Q3_K:
    return 4;
  case Format::Q6_K:
    return 32;
  default:
    return 0;
  }
}

WeightBlock quench::reference::weightBlock(Format format, const uint8_t *row, size_t b) {
  const qrt::FormatInfo &info = qrt::formatInfo(format);
  const size_t perBlock = info.blockElements / 32, part = b % perBlock;
  qrt::BlockCodes all;
  info.unpack(row + b / perBlock * info.blockBytes, all);
  WeightBlock block;
  block.scale = qrt::halfToFloat(all.d);
  float m = qrt::halfToFloat(all.m);
  switch (format) {
  case Format::Q4_1:
  case Format::Q5_1:
    block.hasMinimum = true;
    block.minimum = m;
    break;
  case Format::Q4_K:
  case Format::Q5_K:
    block.hasMinimum = true;
    block.scale *= float(all.scales[part]);
    block.minimum = -(m * float(all.minima[part]));
    break;
  case Format::Q2_K:
    block.hasMinimum = block.hasMinimumFactors = true;
    block.minimum = -m;
    for (size_t half : {0, 1}) {
      block.factor[half] = all.scales[2 * part + half];
      block.minimumFactor[half] = all.minima[2 * part + half];
    }
    break;
  case Format::Q3_K:
  case Format::Q6_K:
    for (size_t half : {0, 1})
      block.factor[half] = all.scales[2 * part + half];
    break;
  default:
    break;
  }
  for (size_t i = 0; i < 32; ++i) {
    uint8_t code = all.codes[32 * part + i];
    block.codes[i] = format == Format::Q8_0 ? int8_t(code) : code - offsetOf(format);
  }
  return block;
}
