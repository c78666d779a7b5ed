//===- KFormats.cpp - super-blocks of 256 numbers -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Q2_K to Q6_K: two levels of scales. A decoder computes a group's scale and minimum
// in f32 first and then one product (and difference) per number: that order of rounding
// is part of the format's definition.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "quench-rt/Formats/Float16.h"

using namespace qrt;
using namespace qrt::detail;

namespace {

constexpr size_t kElements = 256;

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

using Unpack = void(const uint8_t *block, BlockCodes &result);

/// (d·s)·(q − offset), less m·t in a format with minima.
template <size_t GroupElements, int Offset, bool HasMinima>
void decodeBlocks(Unpack unpack, size_t blockBytes, const uint8_t *bytes, float *values,
                  size_t blocks) {
  BlockCodes block;
  for (size_t b = 0; b < blocks; ++b, bytes += blockBytes, values += kElements) {
    unpack(bytes, block);
    float d = halfToFloat(block.d), dmin = halfToFloat(block.m);
    for (size_t group = 0; group < kElements / GroupElements; ++group) {
      float scale = d * asFloat(block.scales[group]);
      float minimum = dmin * asFloat(block.minima[group]);
      for (size_t k = group * GroupElements; k < (group + 1) * GroupElements; ++k) {
        float product = scale * asFloat(block.codes[k] - Offset);
        values[k] = HasMinima ? product - minimum : product;
      }
    }
  }
}

} // namespace

// Scales (16), 2-bit codes (64), d, dmin. A scale byte is scale | minimum << 4. Byte j of a
// half's 32 code bytes holds numbers j, j+32, j+64 and j+96 of that half.
void detail::unpackQ2_K(const uint8_t *block, BlockCodes &result) {
  result.d = loadWord(block + 80);
  result.m = loadWord(block + 82);
  for (size_t group = 0; group < 16; ++group) {
    result.scales[group] = static_cast<int8_t>(block[group] & 0xf);
    result.minima[group] = block[group] >> 4;
  }
  for (size_t k = 0; k < kElements; ++k)
    result.codes[k] = (block[16 + k / 128 * 32 + k % 32] >> (k % 128 / 32 * 2)) & 3;
}

// High bits (32), 2-bit codes (64), scales (12), d. Codes as in Q2_K; bit k/32 of
// high byte k%32 is their third bit.
void detail::unpackQ3_K(const uint8_t *block, BlockCodes &result) {
  result.d = loadWord(block + 108);
  for (size_t group = 0; group < 16; ++group)
    result.scales[group] = static_cast<int8_t>(unpackQ3Scale(block + 96, group));
  for (size_t k = 0; k < kElements; ++k) {
    int low = (block[32 + k / 128 * 32 + k % 32] >> (k % 128 / 32 * 2)) & 3;
    int high = (block[k % 32] >> (k / 32)) & 1;
    result.codes[k] = static_cast<uint8_t>(low | high << 2);
  }
}

// d, dmin, scales (12), nibbles (128). Byte j of the 32 bytes of a pair of groups holds
// number j of the first (low) and of the second (high).
void detail::unpackQ4_K(const uint8_t *block, BlockCodes &result) {
  result.d = loadWord(block);
  result.m = loadWord(block + 2);
  for (size_t group = 0; group < 8; ++group) {
    ScaleAndMinimum packed = unpackScale(block + 4, group);
    result.scales[group] = static_cast<int8_t>(packed.scale);
    result.minima[group] = static_cast<uint8_t>(packed.minimum);
  }
  for (size_t k = 0; k < kElements; ++k)
    result.codes[k] = (block[16 + k / 64 * 32 + k % 32] >> (k / 32 % 2 * 4)) & 0xf;
}

// d, dmin, scales (12), fifth bits (32), nibbles (128): Q4_K with bit `group` of fifth
// byte j added to number j of the group.
void detail::unpackQ5_K(const uint8_t *block, BlockCodes &result) {
  result.d = loadWord(block);
  result.m = loadWord(block + 2);
  for (size_t group = 0; group < 8; ++group) {
    ScaleAndMinimum packed = unpackScale(block + 4, group);
    result.scales[group] = static_cast<int8_t>(packed.scale);
    result.minima[group] = static_cast<uint8_t>(packed.minimum);
  }
  for (size_t k = 0; k < kElements; ++k) {
    int low = (block[48 + k / 64 * 32 + k % 32] >> (k / 32 % 2 * 4)) & 0xf;
    int high = (block[16 + k % 32] >> (k / 32)) & 1;
    result.codes[k] = static_cast<uint8_t>(low | high << 4);
  }
}

// Low nibbles (128), upper two bits (64), signed scales (16), d. In a half of 128, nibble
// byte j (of 64) holds numbers j and j+64, and upper byte j (of 32) holds numbers
// j, j+32, j+64 and j+96.
void detail::unpackQ6_K(const uint8_t *block, BlockCodes &result) {
  result.d = loadWord(block + 208);
  for (size_t group = 0; group < 16; ++group)
    result.scales[group] = static_cast<int8_t>(block[192 + group]);
  for (size_t k = 0; k < kElements; ++k) {
    size_t half = k / 128, rest = k % 128;
    int low = (block[half * 64 + rest % 64] >> (rest / 64 * 4)) & 0xf;
    int high = (block[128 + half * 32 + rest % 32] >> (rest / 32 * 2)) & 3;
    result.codes[k] = static_cast<uint8_t>(low | high << 4);
  }
}

void detail::decodeQ2_K(const uint8_t *bytes, float *values, size_t blocks) {
  decodeBlocks<16, 0, true>(unpackQ2_K, 84, bytes, values, blocks);
}
void detail::decodeQ3_K(const uint8_t *bytes, float *values, size_t blocks) {
  decodeBlocks<16, 4, false>(unpackQ3_K, 110, bytes, values, blocks);
}
void detail::decodeQ4_K(const uint8_t *bytes, float *values, size_t blocks) {
  decodeBlocks<32, 0, true>(unpackQ4_K, 144, bytes, values, blocks);
}
void detail::decodeQ5_K(const uint8_t *bytes, float *values, size_t blocks) {
  decodeBlocks<32, 0, true>(unpackQ5_K, 176, bytes, values, blocks);
}
void detail::decodeQ6_K(const uint8_t *bytes, float *values, size_t blocks) {
  decodeBlocks<16, 32, false>(unpackQ6_K, 210, bytes, values, blocks);
}
