//===- TokenizerTest.cpp - special tokens, options and refusals ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/Tokenizer.h"

#include "TestVocabulary.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::test;

namespace {

using Ids = std::vector<int32_t>;

/// Bytes, `he` and `hey`, and a few special tokens.
struct SpecialVocabulary {
  Vocabulary vocabulary = byteVocabulary({{"h", "e"}, {"he", "y"}});
  int32_t begin = addToken(vocabulary, "<s>", TokenType::Control);
  int32_t end = addToken(vocabulary, "<|im_end|>", TokenType::Control);
  int32_t tool = addToken(vocabulary, "<tool", TokenType::Control);
  int32_t toolCall = addToken(vocabulary, "<tool_call>", TokenType::Control);
  int32_t spaces = addToken(vocabulary, "    ", TokenType::UserDefined);
  int32_t sharp = addToken(vocabulary, "straße", TokenType::UserDefined);
  int32_t unknown = addToken(vocabulary, "<unk>", TokenType::Unknown);
  int32_t unused = addToken(vocabulary, "[PAD7]", TokenType::Unused);

  SpecialVocabulary() {
    vocabulary.bos = begin;
    vocabulary.eos = end;
    vocabulary.unk = unknown;
  }
};

EncodeOptions textOnly() {
  EncodeOptions options;
  options.parseSpecial = false;
  return options;
}

std::string createError(const Vocabulary &vocabulary) {
  absl::StatusOr<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::create(vocabulary);
  EXPECT_FALSE(tokenizer.ok());
  return std::string(tokenizer.status().message());
}

TEST(Tokenizer, RecognisesSpecialTokens) {
  SpecialVocabulary special;
  const auto tokenizer = makeTokenizer(special.vocabulary);
  EXPECT_EQ(encode(*tokenizer, "<s>hey<|im_end|>"), (Ids{special.begin, 257, special.end}));
  EXPECT_EQ(encode(*tokenizer, "he<unk>"), (Ids{256, special.unknown}));
  EXPECT_EQ(encode(*tokenizer, "<|im_end|><|im_end|>"), (Ids{special.end, special.end}));
  // User-defined tokens are written as they are, not in the byte alphabet.
  EXPECT_EQ(encode(*tokenizer, "a    straße"), (Ids{'a', special.spaces, special.sharp}));
  // An unused token is never recognised.
  EXPECT_EQ(encode(*tokenizer, "[PAD7]"), (Ids{'[', 'P', 'A', 'D', '7', ']'}));
}

TEST(Tokenizer, TakesTheLongestSpecialToken) {
  SpecialVocabulary special;
  const auto tokenizer = makeTokenizer(special.vocabulary);
  EXPECT_EQ(encode(*tokenizer, "<tool_call>"), (Ids{special.toolCall}));
  EXPECT_EQ(encode(*tokenizer, "<tool_cal"), (Ids{special.tool, '_', 'c', 'a', 'l'}));
  EXPECT_EQ(encode(*tokenizer, "<<s>"), (Ids{'<', special.begin}));
}

TEST(Tokenizer, MergesStopAtSpecialTokens) {
  SpecialVocabulary special;
  const auto tokenizer = makeTokenizer(special.vocabulary);
  EXPECT_EQ(encode(*tokenizer, "h<s>ey"), (Ids{'h', special.begin, 'e', 'y'}));
}

TEST(Tokenizer, SpecialTokensAsText) {
  SpecialVocabulary special;
  const auto tokenizer = makeTokenizer(special.vocabulary);
  EXPECT_EQ(encode(*tokenizer, "<s>", textOnly()), (Ids{'<', 's', '>'}));
  for (const std::string &text : {"<|im_end|>", "<tool_call>", "<unk>"})
    for (int32_t id : encode(*tokenizer, text, textOnly()))
      EXPECT_LT(id, 258) << text;
  // User-defined tokens are text.
  EXPECT_EQ(encode(*tokenizer, "a    straße<s>", textOnly()),
            (Ids{'a', special.spaces, special.sharp, '<', 's', '>'}));
}

TEST(Tokenizer, WhatBeginsATurnIsNeverUserDefined) {
  Vocabulary vocabulary = byteVocabulary();
  const int32_t start = addToken(vocabulary, "<|im_start|>", TokenType::UserDefined);
  const auto tokenizer = makeTokenizer(vocabulary);
  EXPECT_EQ(encode(*tokenizer, "<|im_start|>"), (Ids{start}));
  EXPECT_EQ(encode(*tokenizer, "<|im_start|>", textOnly()).size(), 12u);
  EXPECT_EQ(tokenizer->decode(Ids{start}), "");
}

TEST(Tokenizer, TextNeverMergesIntoAControlToken) {
  Vocabulary vocabulary = byteVocabulary({}, "llama-bpe");
  const int32_t control = addToken(vocabulary, "abc", TokenType::Control);
  const auto tokenizer = makeTokenizer(vocabulary);
  EXPECT_EQ(encode(*tokenizer, "abc"), (Ids{control}));
  EXPECT_EQ(encode(*tokenizer, "abc", textOnly()), (Ids{'a', 'b', 'c'}));
}

TEST(Tokenizer, AddsBeginningAndEndWhereTheVocabularyAsks) {
  SpecialVocabulary special;
  EXPECT_EQ(encode(*makeTokenizer(special.vocabulary), "he"), (Ids{256}));
  special.vocabulary.addBos = true;
  special.vocabulary.addEos = true;
  const auto tokenizer = makeTokenizer(special.vocabulary);
  EXPECT_EQ(encode(*tokenizer, "he"), (Ids{special.begin, 256, special.end}));
  EXPECT_EQ(encode(*tokenizer, ""), (Ids{special.begin, special.end}));
  EncodeOptions options;
  options.addBos = false;
  EXPECT_EQ(encode(*tokenizer, "he", options), (Ids{256, special.end}));
  options.addEos = false;
  EXPECT_EQ(encode(*tokenizer, "he", options), (Ids{256}));
}

TEST(Tokenizer, DecodesSpecialTokensOnRequest) {
  SpecialVocabulary special;
  const auto tokenizer = makeTokenizer(special.vocabulary);
  const Ids ids = {special.begin,  257,        special.spaces, special.unknown,
                   special.unused, special.end};
  EXPECT_EQ(tokenizer->decode(ids), "hey    ");
  EXPECT_EQ(tokenizer->decode(ids, {/*renderSpecial=*/true}), "<s>hey    <unk>[PAD7]<|im_end|>");
  EXPECT_TRUE(tokenizer->isSpecial(special.unused));
  EXPECT_FALSE(tokenizer->isSpecial(special.spaces));
}

TEST(Tokenizer, ForeignIdsDecodeToNothingAndAreNamed) {
  const auto tokenizer = makeTokenizer(byteVocabulary());
  EXPECT_EQ(tokenizer->decode(Ids{'a', -1, 256, 'b', 2147483647}), "ab");
  EXPECT_TRUE(tokenizer->checkIds(Ids{0, 255}).ok());
  const absl::Status status = tokenizer->checkIds(Ids{0, 256});
  EXPECT_EQ(status.message(), "id 256 at index 1 is not in the vocabulary; expected 0 to 255");
  EXPECT_FALSE(tokenizer->isEndOfGeneration(-1));
  EXPECT_FALSE(tokenizer->isSpecial(256));
}

TEST(Tokenizer, EndOfGeneration) {
  SpecialVocabulary special;
  Vocabulary &vocabulary = special.vocabulary;
  vocabulary.eos = special.begin;
  vocabulary.eog = {special.tool};
  // Known by name, whatever type the file gives it.
  const int32_t mistyped = addToken(vocabulary, "<|eot_id|>", TokenType::Normal);
  const auto tokenizer = makeTokenizer(vocabulary);
  for (int32_t id : {special.begin, special.tool, special.end, mistyped})
    EXPECT_TRUE(tokenizer->isEndOfGeneration(id)) << id;
  for (int32_t id : {int32_t{'a'}, special.toolCall, special.unknown})
    EXPECT_FALSE(tokenizer->isEndOfGeneration(id)) << id;
  EXPECT_EQ(encode(*tokenizer, "<|eot_id|>"), (Ids{mistyped}));
  EXPECT_EQ(tokenizer->decode(Ids{mistyped}), "");
}

TEST(Tokenizer, FindsSpecialTokensByName) {
  SpecialVocabulary special;
  const auto tokenizer = makeTokenizer(special.vocabulary);
  EXPECT_EQ(tokenizer->findSpecial("<tool"), special.tool);
  EXPECT_EQ(tokenizer->findSpecial("straße"), special.sharp);
  EXPECT_EQ(tokenizer->findSpecial("<too"), std::nullopt);
  EXPECT_EQ(tokenizer->findSpecial("hey"), std::nullopt);
  EXPECT_EQ(tokenizer->findSpecial(""), std::nullopt);
}

TEST(Tokenizer, BytesWithoutATokenAreLeftOutAndCounted) {
  Vocabulary vocabulary = byteVocabulary({{"a", "b"}});
  vocabulary.types[0x04] = static_cast<int32_t>(TokenType::Unused);
  const auto tokenizer = makeTokenizer(vocabulary);
  EXPECT_FALSE(tokenizer->roundTripsAllBytes());
  int64_t dropped = -1;
  EncodeOptions options;
  options.droppedBytes = &dropped;
  EXPECT_EQ(encode(*tokenizer, "\x04z\x04", options), (Ids{'z'}));
  EXPECT_EQ(dropped, 2);
  EXPECT_EQ(encode(*tokenizer, "\x04", options), (Ids{}));
  EXPECT_EQ(dropped, 1);
  EXPECT_EQ(encode(*tokenizer, "ab", options), (Ids{256}));
  EXPECT_EQ(dropped, 0);
}

TEST(Tokenizer, EmptySpecialTokenIsIgnored) {
  Vocabulary vocabulary = byteVocabulary();
  addToken(vocabulary, "", TokenType::Control);
  addToken(vocabulary, "", TokenType::Normal);
  EXPECT_EQ(encode(*makeTokenizer(vocabulary), "ab"), (Ids{'a', 'b'}));
}

TEST(Tokenizer, MissingTypesMeanNormal) {
  Vocabulary vocabulary = byteVocabulary({{"a", "b"}});
  vocabulary.types.clear();
  EXPECT_EQ(encode(*makeTokenizer(vocabulary), "ab"), (Ids{256}));
}

TEST(Tokenizer, RefusesOtherKinds) {
  Vocabulary vocabulary = byteVocabulary();
  vocabulary.model = "bert";
  EXPECT_EQ(createError(vocabulary),
            "tokenizer 'bert' is not supported; supported are 'gpt2' (byte-level byte-pair "
            "encoding) and 'llama' (SentencePiece's byte-pair encoding)");
  vocabulary = byteVocabulary({}, "deepseek-llm");
  EXPECT_NE(createError(vocabulary).find("'deepseek-llm' is not supported; supported are 'gpt-2'"),
            std::string::npos);
}

TEST(Tokenizer, RefusesBadMerges) {
  Vocabulary vocabulary = byteVocabulary({{"a", "b"}});
  const auto withMerge = [&](const std::string &merge) {
    Vocabulary changed = vocabulary;
    changed.merges.push_back(merge);
    return createError(changed);
  };
  EXPECT_EQ(withMerge("ab"), "merge 1 ('ab'): expected two tokens with a space between");
  EXPECT_EQ(withMerge(""), "merge 1 (''): expected two tokens with a space between");
  EXPECT_EQ(withMerge(" b"), "merge 1 (' b'): expected two tokens with a space between");
  EXPECT_EQ(withMerge("b "), "merge 1 ('b '): expected two tokens with a space between");
  EXPECT_EQ(withMerge("xy b"), "merge 1 ('xy b'): the left side is not a token");
  EXPECT_EQ(withMerge("b xy"), "merge 1 ('b xy'): the right side is not a token");
  EXPECT_EQ(withMerge("b a"), "merge 1 ('b a'): the result is not a token");
  EXPECT_EQ(withMerge("a b c"), "merge 1 ('a b c'): the right side is not a token");
}

TEST(Tokenizer, RefusesBadCountsTypesAndIds) {
  Vocabulary empty;
  empty.model = "gpt2";
  empty.preTokenizer = "gpt-2";
  EXPECT_EQ(createError(empty), "the vocabulary has no tokens");

  const Vocabulary good = byteVocabulary();
  Vocabulary bad = good;
  bad.types.pop_back();
  EXPECT_EQ(createError(bad),
            "the vocabulary has 256 tokens but 255 token types; expected as many, or none");
  for (int32_t type : {0, 7, -1}) {
    bad = good;
    bad.types[3] = type;
    EXPECT_EQ(createError(bad),
              "token 3 has the type " + std::to_string(type) + "; expected 1 to 6");
  }
  for (int32_t Vocabulary::*role :
       {&Vocabulary::bos, &Vocabulary::eos, &Vocabulary::unk, &Vocabulary::pad})
    for (int32_t id : {-2, 256}) {
      bad = good;
      bad.*role = id;
      EXPECT_NE(createError(bad).find("token is " + std::to_string(id) + "; expected 0 to 255"),
                std::string::npos);
    }
  bad = good;
  bad.eog = {5, -1};
  EXPECT_EQ(createError(bad), "the id of the end-of-generation token is -1; expected 0 to 255");
  bad = good;
  bad.addBos = true;
  EXPECT_EQ(createError(bad), "the vocabulary asks for a beginning-of-text token but names none");
  bad = good;
  bad.addEos = true;
  EXPECT_EQ(createError(bad), "the vocabulary asks for an end-of-text token but names none");
}

} // namespace
