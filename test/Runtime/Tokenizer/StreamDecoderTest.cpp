//===- StreamDecoderTest.cpp - pieces end where characters end -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/StreamDecoder.h"

#include "TestVocabulary.h"
#include "quench-rt/Support/Utf8.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::test;

namespace {

/// The pieces for the bytes of `text`, one append() each, and what flush() gives.
std::vector<std::string> stream(const std::string &text) {
  const auto tokenizer = makeTokenizer(byteVocabulary());
  StreamDecoder decoder(*tokenizer);
  std::vector<std::string> pieces;
  for (char byte : text)
    pieces.push_back(decoder.append(static_cast<unsigned char>(byte)));
  pieces.push_back(decoder.flush());
  return pieces;
}

using Pieces = std::vector<std::string>;

TEST(StreamDecoder, HoldsBackTheStartOfACharacter) {
  EXPECT_EQ(stream("aé"), (Pieces{"a", "", "é", ""}));
  EXPECT_EQ(stream("€b"), (Pieces{"", "", "€", "b", ""}));
  EXPECT_EQ(stream("😀"), (Pieces{"", "", "", "😀", ""}));
}

TEST(StreamDecoder, FlushGivesWhatNeverEnded) {
  EXPECT_EQ(stream("a\xF0\x9F\x98"), (Pieces{"a", "", "", "", "\xF0\x9F\x98"}));
}

TEST(StreamDecoder, DoesNotWaitForTheImpossible) {
  EXPECT_EQ(stream("\xFF\x80"), (Pieces{"\xFF", "\x80", ""}));
  // Overlong, surrogate and too large: known to be invalid at the second byte.
  EXPECT_EQ(stream("\xC0\x80"), (Pieces{"\xC0", "\x80", ""}));
  EXPECT_EQ(stream("\xE0\x80"), (Pieces{"", "\xE0\x80", ""}));
  EXPECT_EQ(stream("\xED\xA0"), (Pieces{"", "\xED\xA0", ""}));
  EXPECT_EQ(stream("\xF4\x90"), (Pieces{"", "\xF4\x90", ""}));
  // A start cut off by another one.
  EXPECT_EQ(stream("\xE2\x82\xC3\xA9"), (Pieces{"", "", "\xE2\x82", "é", ""}));
}

TEST(StreamDecoder, IsAsNewAfterFlush) {
  const auto tokenizer = makeTokenizer(byteVocabulary());
  StreamDecoder decoder(*tokenizer);
  EXPECT_EQ(decoder.append(0xC3), "");
  EXPECT_EQ(decoder.flush(), "\xC3");
  EXPECT_EQ(decoder.flush(), "");
  EXPECT_EQ(decoder.append('a'), "a");
}

TEST(StreamDecoder, FollowsTheDecodeOptions) {
  Vocabulary vocabulary = byteVocabulary();
  const int32_t control = addToken(vocabulary, "<s>", TokenType::Control);
  const auto tokenizer = makeTokenizer(vocabulary);
  EXPECT_EQ(StreamDecoder(*tokenizer).append(control), "");
  EXPECT_EQ(StreamDecoder(*tokenizer, {/*renderSpecial=*/true}).append(control), "<s>");
}

TEST(StreamDecoder, PiecesJoinedAreTheWhole) {
  std::mt19937 random(9);
  Vocabulary vocabulary =
      byteVocabulary(randomMerges(random, "ab \xE2\x82\xAC\xF0\x9F\x98\x80\xC3\xA9", 300));
  addToken(vocabulary, "<s>", TokenType::Control);
  const auto tokenizer = makeTokenizer(vocabulary);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int32_t> ids;
    if (round % 2) {
      ids = encode(*tokenizer, randomText(random, 40));
    } else {
      for (uint32_t count = random() % 40; count > 0; --count)
        ids.push_back(static_cast<int32_t>(random() % (tokenizer->size() + 2)) - 1);
    }
    const DecodeOptions options = {/*renderSpecial=*/round % 3 == 0};
    StreamDecoder decoder(*tokenizer, options);
    std::string joined;
    for (int32_t id : ids) {
      const std::string piece = decoder.append(id);
      // Valid text never shows half a character.
      if (round % 2) {
        ASSERT_TRUE(isUtf8(piece));
      }
      joined += piece;
    }
    joined += decoder.flush();
    ASSERT_EQ(joined, tokenizer->decode(ids, options));
  }
}

} // namespace
