//===- KeyedRandom.h - random numbers without state -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The random number of a draw is a function of the seed, of the position of the token
// that it decides, and of its purpose. So it cannot matter how many numbers were drawn
// before, whether a token was drafted, or in which order rows are looked at.
//
// The function is Philox4x32-10: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel
// Random Numbers: As Easy as 1, 2, 3", SC 2011.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_KEYEDRANDOM_H
#define QUENCH_RT_DECODE_KEYEDRANDOM_H

#include <array>
#include <cstdint>

namespace qrt {

/// What a random number decides. Numbers for different purposes are independent. The
/// values are part of what a seed means: they never change.
enum class DrawPurpose : uint32_t {
  Token = 0,    ///< which token the model emits
  Draft = 1,    ///< which token a draft model proposes
  Accept = 2,   ///< whether a proposed token is accepted
  Residual = 3, ///< which token takes the place of one that was not
};

/// One block of Philox4x32-10.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Uniform in [0, 1), a multiple of 2^-53.
double uniformDraw(uint64_t seed, uint64_t position, DrawPurpose purpose);

} // namespace qrt

#endif // QUENCH_RT_DECODE_KEYEDRANDOM_H
