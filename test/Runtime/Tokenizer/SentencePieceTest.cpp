//===- SentencePieceTest.cpp - vocabularies with scores --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TestVocabulary.h"
#include "quench-rt/Tokenizer/StreamDecoder.h"

#include "gtest/gtest.h"

#include <chrono>
#include <map>

using namespace qrt;
using namespace qrt::test;

namespace {

using Ids = std::vector<int32_t>;

constexpr const char *kSpace = "\u2581";

/// Three control tokens and then, if wanted, the bytes from id 3 on.
Vocabulary pieceVocabulary(bool withBytes = true) {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.addSpacePrefix = true;
  addPiece(vocabulary, "<unk>", 0, TokenType::Unknown);
  vocabulary.bos = addPiece(vocabulary, "<s>", 0, TokenType::Control);
  vocabulary.eos = addPiece(vocabulary, "</s>", 0, TokenType::Control);
  vocabulary.unk = 0;
  for (int byte = 0; withBytes && byte < 256; ++byte) {
    constexpr const char *digits = "0123456789ABCDEF";
    const char name[] = {'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>', 0};
    addPiece(vocabulary, name, 0, TokenType::Byte);
  }
  return vocabulary;
}

/// The ids of the byte tokens for `text`.
Ids bytes(const std::string &text) {
  Ids ids;
  for (char byte : text)
    ids.push_back(3 + static_cast<unsigned char>(byte));
  return ids;
}

Ids operator+(Ids left, const Ids &right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::string createError(const Vocabulary &vocabulary) {
  absl::StatusOr<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::create(vocabulary);
  EXPECT_FALSE(tokenizer.ok());
  return std::string(tokenizer.status().message());
}

/// `a b c ab bc abc ▁ ▁a`, without a prefix.
struct Letters {
  Vocabulary vocabulary = pieceVocabulary();
  int32_t a = addPiece(vocabulary, "a", -10);
  int32_t b = addPiece(vocabulary, "b", -10);
  int32_t c = addPiece(vocabulary, "c", -10);
  int32_t ab = addPiece(vocabulary, "ab", -2);
  int32_t bc = addPiece(vocabulary, "bc", -1);
  int32_t abc = addPiece(vocabulary, "abc", -3);
  int32_t space = addPiece(vocabulary, kSpace, -10);
  int32_t spaceA = addPiece(vocabulary, kSpace + std::string("a"), -4);
  Letters() { vocabulary.addSpacePrefix = false; }
};

TEST(SentencePiece, MergesTheHighestScoreFirst) {
  Letters letters;
  const auto tokenizer = makeTokenizer(letters.vocabulary);
  EXPECT_EQ(encode(*tokenizer, "abc"), (Ids{letters.abc}));
  EXPECT_EQ(encode(*tokenizer, "abcb"), (Ids{letters.abc, letters.b}));
  EXPECT_EQ(encode(*tokenizer, "aabb"), (Ids{letters.a, letters.ab, letters.b}));
  EXPECT_EQ(encode(*tokenizer, ""), (Ids{}));
}

TEST(SentencePiece, EqualScoresGoFromTheLeft) {
  Vocabulary vocabulary = pieceVocabulary();
  vocabulary.addSpacePrefix = false;
  const int32_t a = addPiece(vocabulary, "a", 0), aa = addPiece(vocabulary, "aa", 0);
  EXPECT_EQ(encode(*makeTokenizer(vocabulary), "aaaaa"), (Ids{aa, aa, a}));
}

TEST(SentencePiece, SpacesArePartOfTokens) {
  Letters letters;
  const auto tokenizer = makeTokenizer(letters.vocabulary);
  EXPECT_EQ(encode(*tokenizer, "a  a"), (Ids{letters.a, letters.space, letters.spaceA}));
  EXPECT_EQ(tokenizer->decode(Ids{letters.a, letters.space, letters.spaceA}), "a  a");
}

TEST(SentencePiece, WhatHasNoTokenBecomesBytes) {
  Letters letters;
  const auto tokenizer = makeTokenizer(letters.vocabulary);
  EXPECT_TRUE(tokenizer->roundTripsAllBytes());
  EXPECT_EQ(encode(*tokenizer, "aé\nb"), Ids{letters.a} + bytes("é\n") + Ids{letters.b});
  EXPECT_EQ(encode(*tokenizer, "\xFF\xF0\x9F"), bytes("\xFF\xF0\x9F"));
  // Names of byte tokens in a text are text.
  EXPECT_EQ(encode(*tokenizer, "<0x0A>"), bytes("<0x0A>"));
}

TEST(SentencePiece, WithoutByteTokensItIsUnknown) {
  Vocabulary vocabulary = pieceVocabulary(/*withBytes=*/false);
  vocabulary.addSpacePrefix = false;
  const int32_t a = addPiece(vocabulary, "a", 0);
  const auto tokenizer = makeTokenizer(vocabulary);
  EXPECT_FALSE(tokenizer->roundTripsAllBytes());
  EXPECT_EQ(encode(*tokenizer, "aéxaé"), (Ids{a, 0, a, 0}));
  // The first token of that type serves if no id is given; without one bytes are lost.
  vocabulary.unk = -1;
  EXPECT_EQ(encode(*makeTokenizer(vocabulary), "éa"), (Ids{0, a}));
  vocabulary.types[0] = static_cast<int32_t>(TokenType::Control);
  int64_t dropped = 0;
  EncodeOptions options;
  options.droppedBytes = &dropped;
  EXPECT_EQ(encode(*makeTokenizer(vocabulary), "éa", options), (Ids{a}));
  EXPECT_EQ(dropped, 2);
}

TEST(SentencePiece, ASpaceIsPutBeforeEachStretchOfText) {
  Letters letters;
  letters.vocabulary.addSpacePrefix = true;
  letters.vocabulary.addBos = true;
  const auto tokenizer = makeTokenizer(letters.vocabulary);
  const Ids ids = encode(*tokenizer, "ab</s>a");
  EXPECT_EQ(ids, (Ids{1, letters.space, letters.ab, 2, letters.spaceA}));
  EXPECT_EQ(encode(*tokenizer, ""), (Ids{1}));
  EXPECT_EQ(tokenizer->decode(ids, {/*renderSpecial=*/true}), "<s>ab</s>a");
  // Not rendered, a token between two words is no reason to join them.
  EXPECT_EQ(tokenizer->decode(ids), "ab a");
  EXPECT_EQ(tokenizer->decode(ids, {/*renderSpecial=*/false, /*continues=*/true}), " ab a");
  EXPECT_EQ(tokenizer->decode(encode(*tokenizer, "  a")), "  a");
}

TEST(SentencePiece, ExtraSpacesGoWhereTheModelWantsThat) {
  Letters letters;
  letters.vocabulary.removeExtraWhitespaces = true;
  const auto tokenizer = makeTokenizer(letters.vocabulary);
  EXPECT_FALSE(tokenizer->roundTripsAllBytes());
  EXPECT_EQ(encode(*tokenizer, "  a   a  "), (Ids{letters.a, letters.spaceA}));
  EXPECT_EQ(encode(*tokenizer, "   "), (Ids{}));
  EXPECT_EQ(tokenizer->decode(Ids{letters.space, letters.spaceA, letters.spaceA}), "a a");
}

TEST(SentencePiece, UserDefinedTokensAreWhole) {
  Letters letters;
  Vocabulary &vocabulary = letters.vocabulary;
  const int32_t two = addPiece(vocabulary, "  ", -99, TokenType::UserDefined);
  const int32_t cab = addPiece(vocabulary, "cab", -99, TokenType::UserDefined);
  const int32_t marker = addPiece(vocabulary, "<start_of_turn>", 0, TokenType::UserDefined);
  const auto tokenizer = makeTokenizer(vocabulary);
  EncodeOptions textOnly;
  textOnly.parseSpecial = false;
  for (const EncodeOptions &options : {EncodeOptions(), textOnly}) {
    EXPECT_EQ(encode(*tokenizer, "a   a", options), (Ids{letters.a, two, letters.spaceA}));
    EXPECT_EQ(encode(*tokenizer, "abcabc", options), (Ids{letters.ab, cab, letters.c}));
  }
  EXPECT_EQ(tokenizer->decode(Ids{letters.a, two, cab}), "a  cab");
  EXPECT_EQ(tokenizer->findSpecial("cab"), cab);
  // What begins a turn is control, whatever the file says.
  EXPECT_EQ(encode(*tokenizer, "<start_of_turn>"), (Ids{marker}));
  EXPECT_EQ(encode(*tokenizer, "<start_of_turn>", textOnly),
            bytes("<st") + Ids{letters.a} + bytes("rt_of_turn>"));
}

TEST(SentencePiece, ControlTokensAreNeverText) {
  Letters letters;
  addPiece(letters.vocabulary, "</", 0);
  addPiece(letters.vocabulary, "s>", 0);
  const auto tokenizer = makeTokenizer(letters.vocabulary);
  EncodeOptions textOnly;
  textOnly.parseSpecial = false;
  EXPECT_EQ(encode(*tokenizer, "</s>"), (Ids{letters.vocabulary.eos}));
  for (int32_t id : encode(*tokenizer, "</s><unk>", textOnly))
    EXPECT_FALSE(tokenizer->isSpecial(id));
}

TEST(SentencePiece, UnusedTokensAreTakenApart) {
  Letters letters;
  const auto unused = static_cast<int32_t>(TokenType::Unused);
  letters.vocabulary.types[static_cast<size_t>(letters.abc)] = unused;
  EXPECT_EQ(encode(*makeTokenizer(letters.vocabulary), "abc"), (Ids{letters.a, letters.bc}));
  letters.vocabulary.types[static_cast<size_t>(letters.bc)] = unused;
  letters.vocabulary.types[static_cast<size_t>(letters.c)] = unused;
  EXPECT_EQ(encode(*makeTokenizer(letters.vocabulary), "abc"),
            Ids{letters.a} + Ids{letters.b} + bytes("c"));
}

/// The definition: join the neighbours whose token has the highest score, start again.
Ids mergeSlowly(const Vocabulary &vocabulary, const std::string &text) {
  std::map<std::string, int32_t> ids;
  for (size_t id = 0; id < vocabulary.tokens.size(); ++id)
    ids[vocabulary.tokens[id]] = static_cast<int32_t>(id);
  std::vector<std::string> parts;
  for (char byte : text)
    parts.emplace_back(1, byte);
  while (true) {
    int32_t best = -1;
    size_t at = 0;
    for (size_t i = 0; i + 1 < parts.size(); ++i)
      if (const auto found = ids.find(parts[i] + parts[i + 1]);
          found != ids.end() && (best < 0 || vocabulary.scores[static_cast<size_t>(found->second)] >
                                                 vocabulary.scores[static_cast<size_t>(best)])) {
        best = found->second;
        at = i;
      }
    if (best < 0)
      break;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  Ids out;
  for (const std::string &part : parts)
    out.push_back(ids.at(part));
  return out;
}

TEST(SentencePiece, AgreesWithItsDefinition) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const std::string letters = round % 2 ? "ab" : "abcde";
    Vocabulary vocabulary = pieceVocabulary();
    vocabulary.addSpacePrefix = false;
    for (char letter : letters)
      addPiece(vocabulary, std::string(1, letter), 0);
    // Scores have nothing to do with lengths, and some are equal.
    for (const auto &[left, right] : randomMerges(random, letters, 1 + int(random() % 60)))
      addPiece(vocabulary, left + right, -static_cast<float>(random() % 20));
    const auto tokenizer = makeTokenizer(vocabulary);
    for (int i = 0; i < 40; ++i) {
      std::string text;
      for (int length = static_cast<int>(random() % 50); length >= 0; --length)
        text += letters[random() % letters.size()];
      ASSERT_EQ(encode(*tokenizer, text), mergeSlowly(vocabulary, text)) << text;
    }
  }
}

TEST(SentencePiece, AnyBytesSurvive) {
  std::mt19937 random(4);
  Letters letters;
  letters.vocabulary.addSpacePrefix = true;
  addPiece(letters.vocabulary, "  ", 0, TokenType::UserDefined);
  const auto tokenizer = makeTokenizer(letters.vocabulary);
  for (int i = 0; i < 1500; ++i) {
    std::string text;
    for (uint32_t parts = random() % 6; parts > 0; --parts)
      text += parts % 3 == 0   ? randomBytes(random, static_cast<int>(random() % 20))
              : parts % 3 == 1 ? std::string(random() % 5, ' ') + "abc"
                               : "<s>";
    if (text.find(kSpace) != std::string::npos)
      continue;
    for (bool parseSpecial : {true, false}) {
      EncodeOptions options;
      options.parseSpecial = parseSpecial;
      const Ids ids = encode(*tokenizer, text, options);
      ASSERT_EQ(tokenizer->decode(ids, {/*renderSpecial=*/true}), text);
      StreamDecoder stream(*tokenizer, {/*renderSpecial=*/true});
      std::string streamed;
      for (int32_t id : ids)
        streamed += stream.append(id);
      ASSERT_EQ(streamed + stream.flush(), text);
    }
  }
}

TEST(SentencePiece, LongTextsAreNotQuadratic) {
  Vocabulary vocabulary = pieceVocabulary();
  vocabulary.addSpacePrefix = false;
  for (size_t length = 1; length <= 128; length *= 2)
    addPiece(vocabulary, std::string(length, 'a'), -static_cast<float>(length));
  const int32_t longest = static_cast<int32_t>(vocabulary.tokens.size()) - 1;
  addPiece(vocabulary, "aab", -1);
  const auto tokenizer = makeTokenizer(vocabulary);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(encode(*tokenizer, std::string(1 << 20, 'a')), Ids((1 << 20) / 128, longest));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  // About half a second, but a test machine may be busy or instrumented. A quadratic
  // algorithm would need 10^12 steps.
  EXPECT_LT(elapsed.count(), 60.0);
}

TEST(SentencePiece, RefusesWhatIsNoSuchVocabulary) {
  const Vocabulary good = pieceVocabulary();
  Vocabulary bad = good;
  bad.scores.clear();
  EXPECT_EQ(createError(bad), "the vocabulary has 259 tokens but 0 scores; a 'llama' tokenizer "
                              "needs one for each token");
  bad = good;
  bad.scores.pop_back();
  EXPECT_EQ(createError(bad),
            "the vocabulary has 259 tokens but 258 scores; expected as many, or none");
  bad = good;
  bad.scores[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(createError(bad), "token 7 has the score nan; expected a finite number");
  bad.scores[7] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(createError(bad), "token 7 has the score -inf; expected a finite number");
  bad = good;
  bad.types.clear();
  EXPECT_EQ(createError(bad),
            "the vocabulary has no token types; a 'llama' tokenizer needs one for each token");
  bad = good;
  addPiece(bad, "</s>", 0);
  EXPECT_EQ(createError(bad),
            "token 259 ('</s>') is the same as token 2; expected each token once");
  for (const char *name : {"<0x0a>", "<0x0G>", "0x0A", "", "<0x0A> ", "[0x0A>"}) {
    bad = good;
    bad.tokens[13] = name;
    EXPECT_EQ(createError(bad), "token 13 ('" + std::string(name) +
                                    "') has the type of a byte; expected a name from '<0x00>' to "
                                    "'<0xFF>'");
  }
  bad = good;
  bad.types[13] = static_cast<int32_t>(TokenType::Normal);
  EXPECT_EQ(createError(bad), "the vocabulary has byte tokens, but none for the byte 0x0A; "
                              "expected all 256, or none");
}

TEST(SentencePiece, EmptyTokensAreNothing) {
  Letters letters;
  for (TokenType type : {TokenType::Normal, TokenType::UserDefined, TokenType::Control})
    addPiece(letters.vocabulary, "", 0, type);
  EXPECT_EQ(encode(*makeTokenizer(letters.vocabulary), "ab"), (Ids{letters.ab}));
}

} // namespace
