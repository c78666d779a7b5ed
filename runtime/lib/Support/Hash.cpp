//===- Hash.cpp - content hashes ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace qrt;

struct ContentHasher::State {
  XXH3_state_t xxh; // wants 64-byte alignment, which C++17's new respects
};

static std::string toHex(XXH128_hash_t hash) {
  static constexpr char digits[] = "0123456789abcdef";
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string hex;
  hex.reserve(2 * sizeof(canonical.digest));
  for (unsigned char byte : canonical.digest) {
    hex += digits[byte >> 4];
    hex += digits[byte & 0xf];
  }
  return hex;
}

std::string qrt::contentHash(const void *data, size_t size) {
  return toHex(XXH3_128bits(data, size));
}

ContentHasher::ContentHasher() : state(std::make_unique<State>()) {
  XXH3_128bits_reset(&state->xxh);
}

ContentHasher::~ContentHasher() = default;

void ContentHasher::update(const void *data, size_t size) {
  XXH3_128bits_update(&state->xxh, data, size);
}

std::string ContentHasher::hex() const { return toHex(XXH3_128bits_digest(&state->xxh)); }
