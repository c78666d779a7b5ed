//===- PreTokenizerTest.cpp - where text is cut ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/PreTokenizer.h"

#include "TestVocabulary.h"

#include "gtest/gtest.h"

#include <chrono>
#include <numeric>

using namespace qrt;

namespace {

using Pieces = std::vector<std::string>;

Pieces cut(const std::string &name, const std::string &text) {
  absl::StatusOr<PreTokenizer> preTokenizer = PreTokenizer::create(name);
  EXPECT_TRUE(preTokenizer.ok()) << preTokenizer.status();
  if (!preTokenizer.ok())
    return {};
  std::vector<absl::string_view> pieces;
  absl::Status status = preTokenizer->split(text, pieces);
  EXPECT_TRUE(status.ok()) << status;
  return Pieces(pieces.begin(), pieces.end());
}

constexpr const char *names[] = {"gpt-2", "smollm", "llama-bpe", "qwen2"};

TEST(PreTokenizer, WordsTakeTheSpaceBeforeThem) {
  for (const char *name : names)
    EXPECT_EQ(cut(name, "Hello brave  new world"),
              (Pieces{"Hello", " brave", " ", " new", " world"}))
        << name;
}

TEST(PreTokenizer, NumbersOfEachFamily) {
  const std::string text = "in 2024 12345";
  EXPECT_EQ(cut("gpt-2", text), (Pieces{"in", " 2024", " 12345"}));
  EXPECT_EQ(cut("smollm", text),
            (Pieces{"in", " ", "2", "0", "2", "4", " ", "1", "2", "3", "4", "5"}));
  EXPECT_EQ(cut("llama-bpe", text), (Pieces{"in", " ", "202", "4", " ", "123", "45"}));
  EXPECT_EQ(cut("qwen2", text),
            (Pieces{"in", " ", "2", "0", "2", "4", " ", "1", "2", "3", "4", "5"}));
}

TEST(PreTokenizer, SmollmCutsDigitsBeforeAnythingElse) {
  // The digit ends the text that the look-ahead of the second step sees, so both spaces
  // stay together; in one step the second would be left for the digit.
  EXPECT_EQ(cut("smollm", "a  1"), (Pieces{"a", "  ", "1"}));
  EXPECT_EQ(cut("gpt-2", "a  1"), (Pieces{"a", " ", " 1"}));
  // Digits of other scripts, fractions and Roman numerals count as well.
  EXPECT_EQ(cut("smollm", "x٣½Ⅷ"), (Pieces{"x", "٣", "½", "Ⅷ"}));
}

TEST(PreTokenizer, Contractions) {
  EXPECT_EQ(cut("gpt-2", "we'll I'LL"), (Pieces{"we", "'ll", " I", "'", "LL"}));
  EXPECT_EQ(cut("llama-bpe", "we'll I'LL"), (Pieces{"we", "'ll", " I", "'LL"}));
  // U+017F folds to s.
  EXPECT_EQ(cut("qwen2", "it'ſ"), (Pieces{"it", "'ſ"}));
}

TEST(PreTokenizer, LineEnds) {
  EXPECT_EQ(cut("gpt-2", "a.\n\n b"), (Pieces{"a", ".", "\n\n", " b"}));
  EXPECT_EQ(cut("llama-bpe", "a.\n\n b"), (Pieces{"a", ".\n\n", " b"}));
  EXPECT_EQ(cut("llama-bpe", "a \r\n  \n  b"), (Pieces{"a", " \r\n  \n", " ", " b"}));
  EXPECT_EQ(cut("gpt-2", "a\nb"), (Pieces{"a", "\n", "b"}));
}

TEST(PreTokenizer, WhiteSpaceIsUnicodes) {
  // NEXT LINE and IDEOGRAPHIC SPACE are white space, MONGOLIAN VOWEL SEPARATOR is not.
  EXPECT_EQ(cut("gpt-2", "a\u0085\u3000b"), (Pieces{"a", "\u0085", "\u3000", "b"}));
  EXPECT_EQ(cut("gpt-2", " \u180Eb"), (Pieces{" \u180E", "b"}));
}

TEST(PreTokenizer, AliasesShareTheRules) {
  EXPECT_EQ(cut("starcoder", "a  12"), cut("smollm", "a  12"));
  EXPECT_EQ(cut("llama3", "I'M 1234"), cut("llama-bpe", "I'M 1234"));
}

TEST(PreTokenizer, UnknownNameIsRefused) {
  absl::StatusOr<PreTokenizer> preTokenizer = PreTokenizer::create("tekken\n");
  ASSERT_EQ(preTokenizer.status().code(), absl::StatusCode::kUnimplemented);
  const std::string message(preTokenizer.status().message());
  EXPECT_NE(message.find("pre-tokenizer 'tekken\\x0a' is not supported"), std::string::npos)
      << message;
  for (const char *name : names)
    EXPECT_NE(message.find("'" + std::string(name) + "'"), std::string::npos) << message;
}

TEST(PreTokenizer, EmptyTextHasNoPieces) {
  for (const char *name : names)
    EXPECT_TRUE(cut(name, "").empty());
}

TEST(PreTokenizer, PiecesJoinedAreTheText) {
  std::mt19937 random(11);
  for (int i = 0; i < 500; ++i) {
    const std::string text = test::randomText(random, 60);
    for (const char *name : names) {
      const Pieces pieces = cut(name, text);
      EXPECT_EQ(std::accumulate(pieces.begin(), pieces.end(), std::string()), text);
      for (const std::string &piece : pieces)
        EXPECT_FALSE(piece.empty());
    }
  }
}

TEST(PreTokenizer, LongRunsTakeLinearTime) {
  // Twelve million spaces are more steps than PCRE2 allows by default. A quadratic
  // algorithm would take hours.
  std::string spaces(12 << 20, ' ');
  spaces += "x";
  for (const char *name : names) {
    const Pieces pieces = cut(name, spaces);
    ASSERT_EQ(pieces.size(), 2u) << name;
    EXPECT_EQ(pieces.back(), " x");
  }
}

} // namespace
