//===- Values.cpp - made-up numbers ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "quench-rt/Formats/Float16.h"

#include <cstring>

using namespace quench::numerics;
using quench::reference::Weight;

static uint16_t makeHalf(Random &random) {
  switch (random.below(16)) {
  case 0:
    return uint16_t(random.below(0x400)); // subnormal, or 0
  case 1:
    return uint16_t(0x8000 + random.below(0x400));
  default:
    return qrt::floatToHalf(float(std::ldexp(random.uniform(), -int(random.below(8)))));
  }
}

/// Where a block has its f16 words. The other bytes may be anything.
static std::vector<size_t> scaleWords(qrt::Format format) {
  switch (format) {
  case qrt::Format::Q4_1:
  case qrt::Format::Q5_1:
  case qrt::Format::Q4_K:
  case qrt::Format::Q5_K:
    return {0, 2};
  case qrt::Format::Q2_K:
    return {80, 82};
  case qrt::Format::Q3_K:
    return {108};
  case qrt::Format::Q6_K:
    return {208};
  default:
    return {0};
  }
}

Weight quench::numerics::makeWeight(Random &random, qrt::Format format, int64_t rows,
                                    int64_t columns) {
  Weight weight{format, rows, columns, {}};
  weight.bytes.resize(size_t(rows) * qrt::rowBytes(format, columns));
  const qrt::FormatInfo &info = qrt::formatInfo(format);
  for (size_t at = 0; at < weight.bytes.size(); at += info.blockBytes) {
    uint8_t *block = weight.bytes.data() + at;
    switch (format) {
    case qrt::Format::F32: {
      float v = float(random.uniform());
      std::memcpy(block, &v, sizeof(v));
      break;
    }
    case qrt::Format::F16:
      qrt::storeWord(block, makeHalf(random));
      break;
    case qrt::Format::BF16:
      qrt::storeWord(block, qrt::floatToBfloat(float(random.uniform())));
      break;
    default:
      for (uint32_t i = 0; i < info.blockBytes; ++i)
        block[i] = uint8_t(random.bits());
      for (size_t word : scaleWords(format))
        qrt::storeWord(block + word, makeHalf(random));
    }
  }
  return weight;
}
