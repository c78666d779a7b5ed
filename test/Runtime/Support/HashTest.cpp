//===- HashTest.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

using namespace qrt;

namespace {

TEST(Hash, IsXxh3In128Bits) {
  // Values of `xxhsum -H2`.
  EXPECT_EQ(contentHash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(contentHash("a"), "a96faf705af16834e6c632b61e964e1f");
}

TEST(Hash, TheSecureOneIsSha256) {
  // Examples of NIST for FIPS 180-4, and the empty message.
  EXPECT_EQ(secureHash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(secureHash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(secureHash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(secureHash(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hash, PiecesHashAsTheWhole) {
  std::string text(100000, '\0');
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<char>(i * i >> 3);
  ContentHasher hasher;
  std::string_view rest = text;
  for (size_t size = 1; !rest.empty(); size = size * 3 + 1) {
    hasher.update(rest.substr(0, size));
    rest = rest.substr(std::min(size, rest.size()));
  }
  EXPECT_EQ(hasher.hex(), contentHash(text));
  hasher.update("more");
  EXPECT_EQ(hasher.hex(), contentHash(text + "more"));
}

TEST(Hash, OneBitChangesIt) {
  std::string text(1000, 'x');
  std::string before = contentHash(text);
  text[999] ^= 1;
  EXPECT_NE(contentHash(text), before);
}

} // namespace
