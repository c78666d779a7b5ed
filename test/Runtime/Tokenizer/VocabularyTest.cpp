//===- VocabularyTest.cpp - whether two vocabularies are the same ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/Vocabulary.h"
#include "TestVocabulary.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::test;

namespace {

TEST(SameTokens, WhatTokensAreForDoesNotMatter) {
  Vocabulary target = byteVocabulary({{"a", "b"}}), draft = target;
  draft.merges.clear();
  draft.eos = 3;
  EXPECT_TRUE(checkSameTokens(target, draft).ok());
}

TEST(SameTokens, TheFirstDifferenceIsNamed) {
  Vocabulary target = byteVocabulary({{"a", "b"}, {"c", "d"}}), draft = target;
  draft.tokens[257] = "x";
  draft.tokens[256] = "y\n";
  EXPECT_EQ(std::string(checkSameTokens(target, draft).message()),
            "another vocabulary: token 256 is 'y\\x0a', expected 'ab' as in the target");
}

TEST(SameTokens, OneMoreTokenIsAnother) {
  Vocabulary target = byteVocabulary(), draft = byteVocabulary({{"a", "b"}});
  EXPECT_EQ(std::string(checkSameTokens(target, draft).message()),
            "another vocabulary: has 257 tokens, expected 256 as in the target");
  EXPECT_EQ(std::string(checkSameTokens(draft, target).message()),
            "another vocabulary: has 256 tokens, expected 257 as in the target");
}

} // namespace
