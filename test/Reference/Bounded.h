//===- Bounded.h - exact values and how far f32 may be from them -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A reference result is a number in double precision together with a bound on
// what a computation in f32 may differ from it. The bound follows from the
// roundings that the definition of an op allows, by the rules of running error
// analysis (Higham, "Accuracy and Stability of Numerical Algorithms", chapter 3):
// each operation passes on the errors of its operands and adds one rounding of
// its own. Nothing in it is tuned to what a kernel happens to give.
//
// The roundings of the double-precision computation itself are 2^29 times
// smaller than those of f32; `agrees` leaves room for them.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_REFERENCE_BOUNDED_H
#define QUENCH_TEST_REFERENCE_BOUNDED_H

#include <cmath>
#include <limits>

namespace quench::reference {

/// Half a unit in the last place of f32: the relative error of one rounding.
inline constexpr double kUnit = 0x1p-24;
/// Half the smallest subnormal: the error of a rounding below the normal numbers.
inline constexpr double kTiny = 0x1p-150;

struct Bounded {
  double value = 0.0;
  double error = 0.0; ///< |f32 result − value| is at most this
};

/// n roundings in a row, relative: n·u / (1 − n·u).
inline double gamma(double n) { return n * kUnit / (1.0 - n * kUnit); }

inline Bounded exact(double value) { return {value, 0.0}; }

/// What is larger rounds to infinity.
inline constexpr double kLargest = 0x1.ffffffp127;

/// `value` with the errors of its operands, then rounded to f32.
inline Bounded rounded(double value, double error) {
  if (std::fabs(value) >= kLargest)
    return {std::copysign(std::numeric_limits<double>::infinity(), value), 0.0};
  return {value, error + kUnit * (std::fabs(value) + error) + kTiny};
}

inline Bounded add(Bounded a, Bounded b) { return rounded(a.value + b.value, a.error + b.error); }
inline Bounded sub(Bounded a, Bounded b) { return rounded(a.value - b.value, a.error + b.error); }

inline Bounded mul(Bounded a, Bounded b) {
  // As with intervals: nothing times an unknown number is nothing.
  auto times = [](double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : std::fabs(x) * y; };
  return rounded(a.value * b.value,
                 times(a.value, b.error) + times(b.value, a.error) + times(a.error, b.error));
}

inline Bounded div(Bounded a, Bounded b) {
  double quotient = a.value / b.value, least = std::fabs(b.value) - b.error;
  if (least <= 0.0)
    return {quotient, std::numeric_limits<double>::infinity()};
  return rounded(quotient, (a.error + std::fabs(quotient) * b.error) / least);
}

/// |√(v+e) − √v| = |e| / (√(v+e) + √v).
inline Bounded sqrt(Bounded a) {
  double root = std::sqrt(a.value), least = std::sqrt(std::fmax(a.value - a.error, 0.0));
  return rounded(root, a.error == 0.0 ? 0.0 : a.error / (root + least));
}

/// e^a where the exponential itself is within `ulps` units in the last place.
inline Bounded exp(Bounded a, double ulps) {
  double value = std::exp(a.value);
  // Both are e^(v+e) − e^v; the second neither cancels nor overflows where the other does.
  double inherited =
      a.error > 1.0 ? std::exp(a.value + a.error) - value : value * std::expm1(a.error);
  if (value >= kLargest)
    return {std::numeric_limits<double>::infinity(), 0.0};
  return {value, inherited + ulps * (2.0 * kUnit * (value + inherited) + 2.0 * kTiny)};
}

/// Sum of `terms`, each of which takes part in at most `roundings` additions (or
/// fused multiply-adds), whatever their order; `magnitude` is Σ|terms|. The errors
/// below the normal numbers are those of `count` products.
inline Bounded accumulated(double sum, double magnitude, double roundings, double count) {
  if (std::fabs(sum) >= kLargest)
    return rounded(sum, 0.0);
  return {sum, gamma(roundings) * magnitude + count * kTiny};
}

/// Whether an f32 result is right: within the bound; NaN exactly where the value is
/// NaN, an infinity exactly where it is one. A bound may be infinite, where a divisor
/// can be 0.
inline bool agrees(float got, Bounded want) {
  if (std::isnan(want.value))
    return std::isnan(got);
  if (std::isinf(want.value))
    return got == want.value;
  return std::fabs(double(got) - want.value) <= want.error * (1.0 + 0x1p-20);
}

/// The part of the bound that is used up: at most 1 if it agrees.
inline double usedPart(float got, Bounded want) {
  double difference = std::fabs(double(got) - want.value);
  return difference == 0.0 ? 0.0 : difference / want.error;
}

} // namespace quench::reference

#endif // QUENCH_TEST_REFERENCE_BOUNDED_H
