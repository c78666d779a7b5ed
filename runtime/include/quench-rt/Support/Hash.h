//===- Hash.h - hashes of contents ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The content hash is XXH3, 128 bits, seed 0, written as 32 lower-case hexadecimal
// digits in the canonical (big-endian) order that `xxhsum -H2` prints. It names content
// and finds damage; it is no defence against someone who makes collisions on purpose.
//
// The secure hash is SHA-256 (FIPS 180-4), written as 64 lower-case hexadecimal digits,
// for what must not be mistaken for something else even then: code that is to be run.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_HASH_H
#define QUENCH_RT_SUPPORT_HASH_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace qrt {

std::string contentHash(const void *data, size_t size);

inline std::string contentHash(std::string_view text) {
  return contentHash(text.data(), text.size());
}

std::string secureHash(const void *data, size_t size);

inline std::string secureHash(std::string_view text) {
  return secureHash(text.data(), text.size());
}

/// The content hash over pieces: equal to contentHash of their concatenation.
class ContentHasher {
public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(const ContentHasher &) = delete;
  ContentHasher &operator=(const ContentHasher &) = delete;

  void update(const void *data, size_t size);
  void update(std::string_view text) { update(text.data(), text.size()); }

  /// The hash of what was given so far; more may follow.
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_HASH_H
