//===- KeyedRandom.cpp - random numbers without state ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/KeyedRandom.h"

using namespace qrt;

static uint32_t low(uint64_t word) { return static_cast<uint32_t>(word); }
static uint32_t high(uint64_t word) { return static_cast<uint32_t>(word >> 32); }

std::array<uint32_t, 4> qrt::philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t a = uint64_t(0xD2511F53) * counter[0];
    const uint64_t b = uint64_t(0xCD9E8D57) * counter[2];
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return counter;
}

double qrt::uniformDraw(uint64_t seed, uint64_t position, DrawPurpose purpose) {
  const std::array<uint32_t, 4> block = philox(
      {low(position), high(position), static_cast<uint32_t>(purpose), 0}, {low(seed), high(seed)});
  const uint64_t word = uint64_t(block[1]) << 32 | block[0];
  return static_cast<double>(word >> 11) * 0x1p-53;
}
