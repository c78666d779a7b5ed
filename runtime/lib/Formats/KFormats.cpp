//===- KFormats.cpp - super-blocks of 256 numbers -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Q2_K to Q6_K: two levels of scales. Each decoder computes a group's scale and
// minimum in f32 first and then one product (and difference) per number: that order
// of rounding is part of the format's definition.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "quench-rt/Formats/Float16.h"

using namespace qrt;

namespace {

constexpr size_t kElements = 256;

float halfAt(const uint8_t *bytes) { return halfToFloat(loadWord(bytes)); }

float asFloat(int value) { return static_cast<float>(value); }

/// The 6-bit scales and minima of Q4_K and Q5_K, eight each in 12 bytes. Groups 0…3
/// have theirs in the low six bits of bytes 0…3 (scale) and 4…7 (minimum). Groups
/// 4…7 have the low four bits in bytes 8…11 (scale low, minimum high nibble) and the
/// upper two in the top of bytes 0…3 and 4…7.
struct ScaleAndMinimum {
  int scale;
  int minimum;
};

ScaleAndMinimum unpackScale(const uint8_t *packed, size_t group) {
  if (group < 4)
    return {packed[group] & 0x3f, packed[4 + group] & 0x3f};
  size_t i = group - 4;
  return {(packed[8 + i] & 0xf) | ((packed[i] >> 6) << 4),
          (packed[8 + i] >> 4) | ((packed[4 + i] >> 6) << 4)};
}

/// The 6-bit scale of a group of 16 in Q3_K, less 32: low nibbles in bytes 0…7
/// (groups 8…15 in the high halves), upper two bits in bytes 8…11.
int unpackQ3Scale(const uint8_t *packed, size_t group) {
  int low = group < 8 ? packed[group] & 0xf : packed[group - 8] >> 4;
  int high = (packed[8 + group % 4] >> (2 * (group / 4))) & 3;
  return (low | (high << 4)) - 32;
}

} // namespace

// Scales (16), 2-bit codes (64), d, dmin. A scale byte is scale | minimum << 4. Byte j of a
// half's 32 code bytes holds numbers j, j+32, j+64 and j+96 of that half.
void detail::decodeQ2_K(const uint8_t *bytes, float *values, size_t blocks) {
  constexpr size_t blockBytes = 84;
  for (size_t b = 0; b < blocks; ++b, bytes += blockBytes, values += kElements) {
    const uint8_t *codes = bytes + 16;
    float d = halfAt(bytes + 80), dmin = halfAt(bytes + 82);
    for (size_t group = 0; group < 16; ++group) {
      float scale = d * asFloat(bytes[group] & 0xf);
      float minimum = dmin * asFloat(bytes[group] >> 4);
      for (size_t k = group * 16; k < group * 16 + 16; ++k) {
        int q = (codes[k / 128 * 32 + k % 32] >> (k % 128 / 32 * 2)) & 3;
        float product = scale * asFloat(q);
        values[k] = product - minimum;
      }
    }
  }
}

// High bits (32), 2-bit codes (64), scales (12), d. Codes as in Q2_K; bit k/32 of
// high byte k%32 is inverted: where it is clear, 4 is subtracted.
void detail::decodeQ3_K(const uint8_t *bytes, float *values, size_t blocks) {
  constexpr size_t blockBytes = 110;
  for (size_t b = 0; b < blocks; ++b, bytes += blockBytes, values += kElements) {
    const uint8_t *codes = bytes + 32;
    float d = halfAt(bytes + 108);
    for (size_t group = 0; group < 16; ++group) {
      float scale = d * asFloat(unpackQ3Scale(bytes + 96, group));
      for (size_t k = group * 16; k < group * 16 + 16; ++k) {
        int q = (codes[k / 128 * 32 + k % 32] >> (k % 128 / 32 * 2)) & 3;
        int high = (bytes[k % 32] >> (k / 32)) & 1;
        values[k] = scale * asFloat(high ? q : q - 4);
      }
    }
  }
}

// d, dmin, scales (12), nibbles (128). Byte j of the 32 bytes of a pair of groups holds
// number j of the first (low) and of the second (high).
void detail::decodeQ4_K(const uint8_t *bytes, float *values, size_t blocks) {
  constexpr size_t blockBytes = 144;
  for (size_t b = 0; b < blocks; ++b, bytes += blockBytes, values += kElements) {
    const uint8_t *nibbles = bytes + 16;
    float d = halfAt(bytes), dmin = halfAt(bytes + 2);
    for (size_t group = 0; group < 8; ++group) {
      ScaleAndMinimum packed = unpackScale(bytes + 4, group);
      float scale = d * asFloat(packed.scale);
      float minimum = dmin * asFloat(packed.minimum);
      for (size_t j = 0; j < 32; ++j) {
        int q = (nibbles[group / 2 * 32 + j] >> (group % 2 * 4)) & 0xf;
        float product = scale * asFloat(q);
        values[group * 32 + j] = product - minimum;
      }
    }
  }
}

// d, dmin, scales (12), fifth bits (32), nibbles (128): Q4_K with bit `group` of fifth
// byte j added to number j of the group.
void detail::decodeQ5_K(const uint8_t *bytes, float *values, size_t blocks) {
  constexpr size_t blockBytes = 176;
  for (size_t b = 0; b < blocks; ++b, bytes += blockBytes, values += kElements) {
    const uint8_t *fifth = bytes + 16, *nibbles = bytes + 48;
    float d = halfAt(bytes), dmin = halfAt(bytes + 2);
    for (size_t group = 0; group < 8; ++group) {
      ScaleAndMinimum packed = unpackScale(bytes + 4, group);
      float scale = d * asFloat(packed.scale);
      float minimum = dmin * asFloat(packed.minimum);
      for (size_t j = 0; j < 32; ++j) {
        int q = (nibbles[group / 2 * 32 + j] >> (group % 2 * 4)) & 0xf;
        q |= ((fifth[j] >> group) & 1) << 4;
        float product = scale * asFloat(q);
        values[group * 32 + j] = product - minimum;
      }
    }
  }
}

// Low nibbles (128), upper two bits (64), signed scales (16), d. In a half of 128, nibble
// byte j (of 64) holds numbers j and j+64, and upper byte j (of 32) holds numbers
// j, j+32, j+64 and j+96.
void detail::decodeQ6_K(const uint8_t *bytes, float *values, size_t blocks) {
  constexpr size_t blockBytes = 210;
  for (size_t b = 0; b < blocks; ++b, bytes += blockBytes, values += kElements) {
    const uint8_t *upper = bytes + 128, *scales = bytes + 192;
    float d = halfAt(bytes + 208);
    for (size_t group = 0; group < 16; ++group) {
      float scale = d * asFloat(static_cast<int8_t>(scales[group]));
      for (size_t k = group * 16; k < group * 16 + 16; ++k) {
        size_t half = k / 128, rest = k % 128;
        int q = (bytes[half * 64 + rest % 64] >> (rest / 64 * 4)) & 0xf;
        q |= ((upper[half * 32 + rest % 32] >> (rest / 32 * 2)) & 3) << 4;
        values[k] = scale * asFloat(q - 32);
      }
    }
  }
}
