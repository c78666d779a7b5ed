//===- LegacyFormats.cpp - blocks of 32 numbers with one scale ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0. The four small ones differ in two things only,
// the bits of a code and whether the block has a minimum, so they share one
// template. Block: d, [m], [word of fifth bits, bit k for number k], nibbles.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "quench-rt/Formats/Float16.h"

#include <cmath>

using namespace qrt;

namespace {

constexpr size_t kElements = 32;
constexpr size_t kNibbleBytes = kElements / 2;

template <int Bits, bool HasMinimum> struct SmallBlock {
  static_assert(Bits == 4 || Bits == 5);
  static constexpr size_t highOffset = HasMinimum ? 4 : 2;
  static constexpr size_t nibbleOffset = highOffset + (Bits == 5 ? 4 : 0);
  static constexpr size_t bytes = nibbleOffset + kNibbleBytes;
  static constexpr int maxCode = (1 << Bits) - 1;
  static constexpr int center = 1 << (Bits - 1);

  static int code(const uint8_t *block, size_t k) {
    int nibble = k < kNibbleBytes ? block[nibbleOffset + k] & 0xf
                                  : block[nibbleOffset + k - kNibbleBytes] >> 4;
    if constexpr (Bits == 5)
      nibble |= ((block[highOffset + k / 8] >> (k % 8)) & 1) << 4;
    return nibble;
  }

  static void setCode(uint8_t *block, size_t k, int code) {
    uint8_t nibble = static_cast<uint8_t>(code & 0xf);
    if (k < kNibbleBytes)
      block[nibbleOffset + k] |= nibble;
    else
      block[nibbleOffset + k - kNibbleBytes] |= static_cast<uint8_t>(nibble << 4);
    if constexpr (Bits == 5)
      block[highOffset + k / 8] |= static_cast<uint8_t>((code >> 4) << (k % 8));
  }

  static void decode(const uint8_t *block, float *values) {
    float scale = halfToFloat(loadWord(block));
    float minimum = HasMinimum ? halfToFloat(loadWord(block + 2)) : 0.0f;
    for (size_t k = 0; k < kElements; ++k) {
      int q = code(block, k);
      if constexpr (HasMinimum) {
        float product = scale * static_cast<float>(q);
        values[k] = product + minimum;
      } else {
        values[k] = scale * static_cast<float>(q - center);
      }
    }
  }

  static void encode(const float *values, uint8_t *block);
};

/// The code of a value that was shifted so that truncation rounds to nearest. What
/// is not finite (a scale too small to invert, or hostile input) becomes 0.
int truncatedCode(float shifted, int maxCode) {
  if (!std::isfinite(shifted) || shifted < 0.0f)
    return 0;
  if (shifted >= static_cast<float>(maxCode))
    return maxCode;
  return static_cast<int>(shifted);
}

float inverseOf(float scale) { return scale == 0.0f ? 0.0f : 1.0f / scale; }

template <int Bits, bool HasMinimum>
void SmallBlock<Bits, HasMinimum>::encode(const float *values, uint8_t *block) {
  for (size_t i = 0; i < bytes; ++i)
    block[i] = 0;
  float scale, minimum = 0.0f;
  if constexpr (HasMinimum) {
    float low = values[0], high = values[0];
    for (size_t k = 1; k < kElements; ++k) {
      if (values[k] < low || std::isnan(values[k]))
        low = values[k];
      if (values[k] > high || std::isnan(values[k]))
        high = values[k];
    }
    minimum = low;
    scale = (high - low) / static_cast<float>(maxCode);
    storeWord(block + 2, floatToHalf(minimum));
  } else {
    // The value of largest magnitude, first of equals, maps to the lowest code, so
    // that the scale carries the opposite sign and one more code is in use.
    float extreme = values[0];
    for (size_t k = 1; k < kElements; ++k)
      if (std::fabs(values[k]) > std::fabs(extreme) || std::isnan(values[k]))
        extreme = values[k];
    scale = extreme / static_cast<float>(-center);
  }
  storeWord(block, floatToHalf(scale));

  float inverse = inverseOf(scale);
  for (size_t k = 0; k < kElements; ++k) {
    float scaled = (values[k] - minimum) * inverse;
    float offset = HasMinimum ? 0.5f : static_cast<float>(center) + 0.5f;
    setCode(block, k, truncatedCode(scaled + offset, maxCode));
  }
}

template <int Bits, bool HasMinimum>
void decodeSmall(const uint8_t *bytes, float *values, size_t blocks) {
  using Block = SmallBlock<Bits, HasMinimum>;
  for (size_t i = 0; i < blocks; ++i)
    Block::decode(bytes + i * Block::bytes, values + i * kElements);
}

template <int Bits, bool HasMinimum>
void encodeSmall(const float *values, uint8_t *bytes, size_t blocks) {
  using Block = SmallBlock<Bits, HasMinimum>;
  for (size_t i = 0; i < blocks; ++i)
    Block::encode(values + i * kElements, bytes + i * Block::bytes);
}

constexpr size_t kQ8Bytes = 2 + kElements;

} // namespace

void detail::decodeQ4_0(const uint8_t *bytes, float *values, size_t blocks) {
  decodeSmall<4, false>(bytes, values, blocks);
}
void detail::decodeQ4_1(const uint8_t *bytes, float *values, size_t blocks) {
  decodeSmall<4, true>(bytes, values, blocks);
}
void detail::decodeQ5_0(const uint8_t *bytes, float *values, size_t blocks) {
  decodeSmall<5, false>(bytes, values, blocks);
}
void detail::decodeQ5_1(const uint8_t *bytes, float *values, size_t blocks) {
  decodeSmall<5, true>(bytes, values, blocks);
}
void detail::encodeQ4_0(const float *values, uint8_t *bytes, size_t blocks) {
  encodeSmall<4, false>(values, bytes, blocks);
}
void detail::encodeQ4_1(const float *values, uint8_t *bytes, size_t blocks) {
  encodeSmall<4, true>(values, bytes, blocks);
}
void detail::encodeQ5_0(const float *values, uint8_t *bytes, size_t blocks) {
  encodeSmall<5, false>(values, bytes, blocks);
}
void detail::encodeQ5_1(const float *values, uint8_t *bytes, size_t blocks) {
  encodeSmall<5, true>(values, bytes, blocks);
}

template <int Bits, bool HasMinimum>
static void unpackSmall(const uint8_t *block, BlockCodes &result) {
  using Block = SmallBlock<Bits, HasMinimum>;
  result.d = loadWord(block);
  result.m = HasMinimum ? loadWord(block + 2) : uint16_t(0);
  for (size_t k = 0; k < kElements; ++k)
    result.codes[k] = static_cast<uint8_t>(Block::code(block, k));
}

void detail::unpackQ4_0(const uint8_t *bytes, BlockCodes &result) {
  unpackSmall<4, false>(bytes, result);
}
void detail::unpackQ4_1(const uint8_t *bytes, BlockCodes &result) {
  unpackSmall<4, true>(bytes, result);
}
void detail::unpackQ5_0(const uint8_t *bytes, BlockCodes &result) {
  unpackSmall<5, false>(bytes, result);
}
void detail::unpackQ5_1(const uint8_t *bytes, BlockCodes &result) {
  unpackSmall<5, true>(bytes, result);
}

void detail::unpackQ8_0(const uint8_t *bytes, BlockCodes &result) {
  result.d = loadWord(bytes);
  for (size_t k = 0; k < kElements; ++k)
    result.codes[k] = bytes[2 + k];
}

void detail::decodeQ8_0(const uint8_t *bytes, float *values, size_t blocks) {
  for (size_t i = 0; i < blocks; ++i, bytes += kQ8Bytes, values += kElements) {
    float scale = halfToFloat(loadWord(bytes));
    for (size_t k = 0; k < kElements; ++k)
      values[k] = static_cast<float>(static_cast<int8_t>(bytes[2 + k])) * scale;
  }
}

void detail::encodeQ8_0(const float *values, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; ++i, bytes += kQ8Bytes, values += kElements) {
    float extreme = 0.0f;
    for (size_t k = 0; k < kElements; ++k)
      if (std::fabs(values[k]) > extreme || std::isnan(values[k]))
        extreme = std::fabs(values[k]);
    float scale = extreme / 127.0f;
    float inverse = inverseOf(scale);
    storeWord(bytes, floatToHalf(scale));
    for (size_t k = 0; k < kElements; ++k) {
      // Halves away from zero, as `roundf`.
      float rounded = std::round(values[k] * inverse);
      bool usable = std::fabs(rounded) <= 127.0f;
      bytes[2 + k] = usable ? static_cast<uint8_t>(static_cast<int8_t>(rounded)) : uint8_t(0);
    }
  }
}
