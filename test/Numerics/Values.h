//===- Values.h - made-up numbers ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_NUMERICS_VALUES_H
#define QUENCH_TEST_NUMERICS_VALUES_H

#include "Reference/Reference.h"

#include <cmath>
#include <cstdint>
#include <iterator>

namespace quench::numerics {

inline constexpr qrt::Format kAllFormats[] = {
    qrt::Format::F32,  qrt::Format::F16,  qrt::Format::BF16, qrt::Format::Q4_0, qrt::Format::Q4_1,
    qrt::Format::Q5_0, qrt::Format::Q5_1, qrt::Format::Q8_0, qrt::Format::Q2_K, qrt::Format::Q3_K,
    qrt::Format::Q4_K, qrt::Format::Q5_K, qrt::Format::Q6_K};
static_assert(std::size(kAllFormats) == qrt::kNumFormats);

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// 2014): the same numbers on every machine, unlike the distributions of <random>.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15u + 1) {}

  uint64_t bits() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// 0 … count − 1.
  int64_t below(int64_t count) { return int64_t(bits() % uint64_t(count)); }
  /// [−1, 1).
  double uniform() { return double(int64_t(bits() >> 11)) * 0x1p-52 - 1.0; }

private:
  uint64_t state;
};

/// How the activations of a case are spread.
enum class Spread : int64_t {
  Even,    ///< [−1, 1)
  Wide,    ///< magnitudes from 2^-20 to 2^20
  Sparse,  ///< mostly zeros of both signs
  Outlier, ///< small, but for one element of 1000
  Small,   ///< around 2^-60
};
inline constexpr int64_t kNumSpreads = 5;

inline float makeValue(Random &random, Spread spread, int64_t index) {
  double v = random.uniform();
  switch (spread) {
  case Spread::Even:
    return float(v);
  case Spread::Wide:
    return float(std::ldexp(v, int(random.below(41)) - 20));
  case Spread::Sparse:
    return random.below(4) ? (random.below(2) ? 0.0f : -0.0f) : float(v);
  case Spread::Outlier:
    return index == 5 ? 1000.0f : float(0.01 * v);
  case Spread::Small:
    return float(std::ldexp(v, -60));
  }
  return 0.0f;
}

inline reference::Row makeRow(Random &random, int64_t count, Spread spread) {
  reference::Row row;
  for (int64_t i = 0; i < count; ++i)
    row.push_back(makeValue(random, spread, i));
  return row;
}

/// Any codes; scales and minima of both signs and, now and then, subnormal or 0.
reference::Weight makeWeight(Random &random, qrt::Format format, int64_t rows, int64_t columns);

} // namespace quench::numerics

#endif // QUENCH_TEST_NUMERICS_VALUES_H
