//===- Hash.cpp - hashes of contents --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Hash.h"

#define XXH_INLINE_ALL
#include <nettle/sha2.h>
#include <xxhash.h>

using namespace qrt;

struct ContentHasher::State {
  XXH3_state_t xxh; // wants 64-byte alignment, which C++17's new respects
};

template <size_t size> static std::string toHex(const uint8_t (&bytes)[size]) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * size);
  for (uint8_t byte : bytes) {
    hex += digits[byte >> 4];
    hex += digits[byte & 0xf];
  }
  return hex;
}

static std::string toHex(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  return toHex(canonical.digest);
}

std::string qrt::contentHash(const void *data, size_t size) {
  return toHex(XXH3_128bits(data, size));
}

std::string qrt::secureHash(const void *data, size_t size) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, size, static_cast<const uint8_t *>(data));
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&context, sizeof digest, digest);
  return toHex(digest);
}

ContentHasher::ContentHasher() : state(std::make_unique<State>()) {
  XXH3_128bits_reset(&state->xxh);
}

ContentHasher::~ContentHasher() = default;

void ContentHasher::update(const void *data, size_t size) {
  XXH3_128bits_update(&state->xxh, data, size);
}

std::string ContentHasher::hex() const { return toHex(XXH3_128bits_digest(&state->xxh)); }
