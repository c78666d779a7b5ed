//===- Float16.h - exact conversions of 16-bit floats ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// IEEE 754 binary16 and bfloat16 as raw bits. Widening is exact, subnormals and
// infinities included. Narrowing rounds to nearest, ties to even; what is too
// large becomes an infinity. A NaN stays a NaN (its payload is not specified).
// Integer code only: no result depends on the floating-point environment.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_FORMATS_FLOAT16_H
#define QUENCH_RT_FORMATS_FLOAT16_H

#include <cstdint>
#include <cstring>

namespace qrt {

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Reads a little-endian 16-bit word at any alignment.
inline uint16_t loadWord(const uint8_t *bytes) {
  return static_cast<uint16_t>(bytes[0] | (bytes[1] << 8));
}

/// Writes a little-endian 16-bit word at any alignment.
inline void storeWord(uint8_t *bytes, uint16_t word) {
  bytes[0] = static_cast<uint8_t>(word);
  bytes[1] = static_cast<uint8_t>(word >> 8);
}

inline float halfToFloat(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 0x1fu;
  uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1f)
    return floatOf(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    if (mantissa == 0)
      return floatOf(sign);
    // Subnormal: shift the leading one into the hidden bit; every step lowers
    // the exponent, which for mantissa bit 10 would be 113 (2^-14).
    exponent = 113;
    while ((mantissa & 0x400u) == 0) {
      mantissa <<= 1;
      --exponent;
    }
    return floatOf(sign | (exponent << 23) | ((mantissa & 0x3ffu) << 13));
  }
  return floatOf(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

inline uint16_t floatToHalf(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) // NaN
    return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x47800000u) // 65536 and above
    return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude >= 0x38800000u) { // 2^-14 and above: normal, may carry into inf
    uint32_t rebiased = magnitude - (112u << 23);
    uint32_t rounded = rebiased + 0xfffu + ((rebiased >> 13) & 1u);
    return static_cast<uint16_t>(sign | (rounded >> 13));
  }
  // Subnormal result: an integer count of 2^-24.
  uint32_t exponent = magnitude >> 23;
  if (exponent < 102) // below 2^-25: rounds to zero
    return static_cast<uint16_t>(sign);
  uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  uint32_t shift = 126 - exponent; // 14 to 24
  uint32_t quotient = mantissa >> shift;
  uint32_t remainder = mantissa & ((1u << shift) - 1u);
  uint32_t half = 1u << (shift - 1);
  if (remainder > half || (remainder == half && (quotient & 1u)))
    ++quotient;
  return static_cast<uint16_t>(sign | quotient);
}

inline float bfloatToFloat(uint16_t word) { return floatOf(static_cast<uint32_t>(word) << 16); }

inline uint16_t floatToBfloat(float value) {
  uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) // NaN: keep it one, and quiet
    return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

} // namespace qrt

#endif // QUENCH_RT_FORMATS_FLOAT16_H
