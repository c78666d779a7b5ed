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
