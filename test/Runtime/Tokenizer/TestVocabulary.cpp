//===- TestVocabulary.cpp - small vocabularies for tests -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TestVocabulary.h"

#include "gtest/gtest.h"

#include <set>

using namespace qrt;

static std::string character(uint32_t codePoint) {
  std::string out;
  if (codePoint < 0x80) {
    out += static_cast<char>(codePoint);
    return out;
  }
  const int tail = codePoint < 0x800 ? 1 : codePoint < 0x10000 ? 2 : 3;
  constexpr uint32_t marks[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(marks[tail] | codePoint >> 6 * tail);
  for (int i = tail - 1; i >= 0; --i)
    out += static_cast<char>(0x80 | (codePoint >> 6 * i & 0x3F));
  return out;
}

std::string test::toAlphabet(const std::string &bytes) {
  std::vector<std::string> table(256);
  uint32_t next = 256;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    table[byte] = character(printable ? byte : next++);
  }
  std::string out;
  for (char byte : bytes)
    out += table[static_cast<unsigned char>(byte)];
  return out;
}

Vocabulary test::byteVocabulary(const Merges &merges, const std::string &preTokenizer) {
  Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  vocabulary.preTokenizer = preTokenizer;
  for (int byte = 0; byte < 256; ++byte)
    addToken(vocabulary, toAlphabet(std::string(1, static_cast<char>(byte))), TokenType::Normal);
  for (const auto &[left, right] : merges) {
    vocabulary.merges.push_back(toAlphabet(left) + " " + toAlphabet(right));
    addToken(vocabulary, toAlphabet(left + right), TokenType::Normal);
  }
  return vocabulary;
}

int32_t test::addToken(Vocabulary &vocabulary, const std::string &text, TokenType type) {
  vocabulary.tokens.push_back(text);
  vocabulary.types.push_back(static_cast<int32_t>(type));
  return static_cast<int32_t>(vocabulary.tokens.size()) - 1;
}

int32_t test::addPiece(Vocabulary &vocabulary, const std::string &text, float score,
                       TokenType type) {
  vocabulary.scores.push_back(score);
  return addToken(vocabulary, text, type);
}

test::Merges test::randomMerges(std::mt19937 &random, const std::string &letters, int count) {
  std::vector<std::string> tokens;
  for (char letter : letters)
    tokens.emplace_back(1, letter);
  std::set<std::string> known(tokens.begin(), tokens.end());
  Merges merges;
  for (int tries = 0; static_cast<int>(merges.size()) < count && tries < 100 * count; ++tries) {
    const std::string left = tokens[random() % tokens.size()];
    const std::string right = tokens[random() % tokens.size()];
    if (left.size() + right.size() > 12 || !known.insert(left + right).second)
      continue;
    tokens.push_back(left + right);
    merges.emplace_back(left, right);
  }
  return merges;
}

std::unique_ptr<Tokenizer> test::makeTokenizer(Vocabulary vocabulary) {
  absl::StatusOr<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::create(std::move(vocabulary));
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
  return tokenizer.ok() ? *std::move(tokenizer) : nullptr;
}

std::vector<int32_t> test::encode(const Tokenizer &tokenizer, const std::string &text,
                                  const EncodeOptions &options) {
  absl::StatusOr<std::vector<int32_t>> ids = tokenizer.encode(text, options);
  EXPECT_TRUE(ids.ok()) << ids.status();
  return ids.ok() ? *std::move(ids) : std::vector<int32_t>();
}

std::string test::randomText(std::mt19937 &random, int characters) {
  constexpr struct {
    uint32_t low, high;
  } blocks[] = {{0x20, 0x7E},     {0x20, 0x7E},       {'0', '9'},         {' ', ' '},
                {'\t', '\r'},     {0x0, 0x1F},        {0x80, 0x24F},      {0x300, 0x36F},
                {0x400, 0x4FF},   {0x5D0, 0x6FF},     {0x900, 0x97F},     {0x1680, 0x1680},
                {0x2000, 0x206F}, {0x3000, 0x30FF},   {0x4E00, 0x9FFF},   {0xAC00, 0xD7A3},
                {0xE000, 0xFFFF}, {0x1F300, 0x1F6FF}, {0x10000, 0x10FFFF}};
  std::string text;
  for (int i = 0; i < characters;) {
    const auto block = blocks[random() % std::size(blocks)];
    for (uint32_t run = 1 + random() % 4; run > 0 && i < characters; --run, ++i)
      text += character(block.low + random() % (block.high - block.low + 1));
  }
  return text;
}

std::string test::randomBytes(std::mt19937 &random, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes += static_cast<char>(random() & 0xFF);
  return bytes;
}
