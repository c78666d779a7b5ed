//===- TextTest.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Text.h"
#include "quench-rt/Support/Utf8.h"

#include <gtest/gtest.h>

using namespace qrt;
using namespace std::string_view_literals;

namespace {

TEST(Text, QuotedKeepsOneSafeLine) {
  EXPECT_EQ(qrt::quoted("plain name"), "'plain name'");
  EXPECT_EQ(qrt::quoted("a\nb\x1b[2J\0"sv), "'a\\x0ab\\x1b[2J\\x00'");
  EXPECT_EQ(qrt::quoted("it's \\"), "'it\\x27s \\x5c'");
  EXPECT_EQ(qrt::quoted("\xff"), "'\\xff'");
  EXPECT_EQ(qrt::quoted(""), "''");
}

TEST(Text, QuotedIsBounded) {
  EXPECT_EQ(qrt::quoted("abcdef", 3), "'abc...'");
  EXPECT_EQ(qrt::quoted("abc", 3), "'abc'");
  EXPECT_LE(qrt::quoted(std::string(1000000, 'x')).size(), 100u);
}

TEST(Text, Utf8) {
  EXPECT_TRUE(isUtf8(""));
  EXPECT_TRUE(isUtf8("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
  EXPECT_TRUE(isUtf8("\xf4\x8f\xbf\xbf"));  // U+10FFFF
  EXPECT_FALSE(isUtf8("\x80"));             // continuation alone
  EXPECT_FALSE(isUtf8("\xc0\xaf"));         // overlong in two,
  EXPECT_FALSE(isUtf8("\xe0\x80\xaf"));     // three
  EXPECT_FALSE(isUtf8("\xf0\x80\x80\xaf")); // and four bytes
  EXPECT_FALSE(isUtf8("\xed\xa0\x80"));     // surrogate
  EXPECT_FALSE(isUtf8("\xf4\x90\x80\x80")); // above U+10FFFF
  EXPECT_FALSE(isUtf8("\xf5\x80\x80\x80"));
  EXPECT_FALSE(isUtf8("\xe2\x82")); // cut off
  EXPECT_FALSE(isUtf8("\xe2\x28\xa1"));
}

} // namespace
