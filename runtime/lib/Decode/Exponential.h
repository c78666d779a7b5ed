//===- Exponential.h - exp with the same bits everywhere ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_DECODE_EXPONENTIAL_H
#define QUENCH_RT_LIB_DECODE_EXPONENTIAL_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace qrt {

/// e^x for x ≤ 0 to about one unit in the last place: exactly 1 at 0, exactly 0 below
/// −708, NaN for NaN. Only sums and products, which the runtime's build never fuses, so
/// that the result does not depend on the C library or on the processor.
inline double expOfNegative(double x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  // ln 2 in two parts; the first has few enough bits that its products are exact.
  constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
  // Adding it leaves the nearest integer in the low bits.
  constexpr double kRounder = 0x1.8p52;
  const double shifted = x * kLog2E + kRounder;
  const double n = shifted - kRounder;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  // Taylor's series but for its 1, even and odd powers apart so that they can be worked on
  // side by side; |r| ≤ ln 2 / 2, where what follows degree 13 is below 2^-57.
  constexpr double kEven[] = {
      0.0, 1.0 / 479001600.0, 1.0 / 3628800.0, 1.0 / 40320.0, 1.0 / 720.0, 1.0 / 24.0, 0.5};
  constexpr double kOdd[] = {1.0 / 6227020800.0,
                             1.0 / 39916800.0,
                             1.0 / 362880.0,
                             1.0 / 5040.0,
                             1.0 / 120.0,
                             1.0 / 6.0,
                             1.0};
  const double square = r * r;
  double even = 0, odd = 0;
  for (int i = 0; i < 7; ++i) {
    even = even * square + kEven[i];
    odd = odd * square + kOdd[i];
  }
  const double sum = 1.0 + (even * square + odd * r);
  // 2^n: the integer moved to where the exponent is.
  uint64_t bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof(power));
  return x < -708.0 ? 0.0 : sum * power;
}

/// Of many numbers, in place; a loop that the compiler turns into vectors.
inline void expOfNegatives(double *numbers, size_t count) {
  for (size_t i = 0; i < count; ++i)
    numbers[i] = expOfNegative(numbers[i]);
}

} // namespace qrt

#endif // QUENCH_RT_LIB_DECODE_EXPONENTIAL_H
