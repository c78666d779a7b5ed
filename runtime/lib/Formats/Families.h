//===- Families.h - the coders behind the format table --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_FORMATS_FAMILIES_H
#define QUENCH_RT_LIB_FORMATS_FAMILIES_H

#include "quench-rt/Formats/BlockCodes.h"

#include <cstddef>
#include <cstdint>

namespace qrt::detail {

// FloatFormats.cpp
void decodeF32(const uint8_t *bytes, float *values, size_t blocks);
void decodeF16(const uint8_t *bytes, float *values, size_t blocks);
void decodeBF16(const uint8_t *bytes, float *values, size_t blocks);
void encodeF32(const float *values, uint8_t *bytes, size_t blocks);
void encodeF16(const float *values, uint8_t *bytes, size_t blocks);
void encodeBF16(const float *values, uint8_t *bytes, size_t blocks);

// LegacyFormats.cpp
void decodeQ4_0(const uint8_t *bytes, float *values, size_t blocks);
void decodeQ4_1(const uint8_t *bytes, float *values, size_t blocks);
void decodeQ5_0(const uint8_t *bytes, float *values, size_t blocks);
void decodeQ5_1(const uint8_t *bytes, float *values, size_t blocks);
void decodeQ8_0(const uint8_t *bytes, float *values, size_t blocks);
void encodeQ4_0(const float *values, uint8_t *bytes, size_t blocks);
void encodeQ4_1(const float *values, uint8_t *bytes, size_t blocks);
void encodeQ5_0(const float *values, uint8_t *bytes, size_t blocks);
void encodeQ5_1(const float *values, uint8_t *bytes, size_t blocks);
void encodeQ8_0(const float *values, uint8_t *bytes, size_t blocks);

void unpackQ4_0(const uint8_t *bytes, BlockCodes &result);
void unpackQ4_1(const uint8_t *bytes, BlockCodes &result);
void unpackQ5_0(const uint8_t *bytes, BlockCodes &result);
void unpackQ5_1(const uint8_t *bytes, BlockCodes &result);
void unpackQ8_0(const uint8_t *bytes, BlockCodes &result);

// KFormats.cpp
void decodeQ2_K(const uint8_t *bytes, float *values, size_t blocks);
void decodeQ3_K(const uint8_t *bytes, float *values, size_t blocks);
void decodeQ4_K(const uint8_t *bytes, float *values, size_t blocks);
void decodeQ5_K(const uint8_t *bytes, float *values, size_t blocks);
void decodeQ6_K(const uint8_t *bytes, float *values, size_t blocks);

void unpackQ2_K(const uint8_t *bytes, BlockCodes &result);
void unpackQ3_K(const uint8_t *bytes, BlockCodes &result);
void unpackQ4_K(const uint8_t *bytes, BlockCodes &result);
void unpackQ5_K(const uint8_t *bytes, BlockCodes &result);
void unpackQ6_K(const uint8_t *bytes, BlockCodes &result);

} // namespace qrt::detail

#endif // QUENCH_RT_LIB_FORMATS_FAMILIES_H
