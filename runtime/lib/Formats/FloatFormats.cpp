//===- FloatFormats.cpp - F32, F16 and BF16 -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "quench-rt/Formats/Float16.h"

#include <cstring>

void qrt::detail::decodeF32(const uint8_t *bytes, float *values, size_t blocks) {
  std::memcpy(values, bytes, blocks * sizeof(float));
}

void qrt::detail::encodeF32(const float *values, uint8_t *bytes, size_t blocks) {
  std::memcpy(bytes, values, blocks * sizeof(float));
}

void qrt::detail::decodeF16(const uint8_t *bytes, float *values, size_t blocks) {
  for (size_t i = 0; i < blocks; ++i)
    values[i] = halfToFloat(loadWord(bytes + 2 * i));
}

void qrt::detail::encodeF16(const float *values, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; ++i)
    storeWord(bytes + 2 * i, floatToHalf(values[i]));
}

void qrt::detail::decodeBF16(const uint8_t *bytes, float *values, size_t blocks) {
  for (size_t i = 0; i < blocks; ++i)
    values[i] = bfloatToFloat(loadWord(bytes + 2 * i));
}

void qrt::detail::encodeBF16(const float *values, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; ++i)
    storeWord(bytes + 2 * i, floatToBfloat(values[i]));
}
