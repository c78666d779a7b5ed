//===- RoundTripTest.cpp - any bytes survive encoding ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TestVocabulary.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <thread>

using namespace qrt;
using namespace qrt::test;

namespace {

/// All bytes, merges over letters, spaces and parts of characters, special tokens.
std::unique_ptr<Tokenizer> richTokenizer(std::mt19937 &random, const std::string &preTokenizer) {
  Vocabulary vocabulary = byteVocabulary(
      randomMerges(random, "abcdeABC 019'.\n\xC3\xA9\xF0\x9F\x98\x80\xFF", 400), preTokenizer);
  for (const char *name : {"<s>", "<|im_start|>", "<|im_end|>", "<|im"})
    addToken(vocabulary, name, TokenType::Control);
  addToken(vocabulary, "   ", TokenType::UserDefined);
  addToken(vocabulary, "é\xFF", TokenType::UserDefined);
  return makeTokenizer(std::move(vocabulary));
}

void expectRoundTrip(const Tokenizer &tokenizer, const std::string &text) {
  EncodeOptions options;
  for (bool parseSpecial : {true, false}) {
    options.parseSpecial = parseSpecial;
    const std::vector<int32_t> ids = encode(tokenizer, text, options);
    ASSERT_EQ(tokenizer.decode(ids, {/*renderSpecial=*/true}), text);
    ASSERT_TRUE(tokenizer.checkIds(ids).ok());
    if (!parseSpecial)
      for (int32_t id : ids)
        ASSERT_FALSE(tokenizer.isSpecial(id));
  }
}

class RoundTrip : public testing::TestWithParam<const char *> {};

TEST_P(RoundTrip, ValidText) {
  std::mt19937 random(1);
  const auto tokenizer = richTokenizer(random, GetParam());
  EXPECT_TRUE(tokenizer->roundTripsAllBytes());
  for (int i = 0; i < 1000; ++i)
    expectRoundTrip(*tokenizer, randomText(random, static_cast<int>(random() % 80)));
}

TEST_P(RoundTrip, AnyBytes) {
  std::mt19937 random(2);
  const auto tokenizer = richTokenizer(random, GetParam());
  for (int i = 0; i < 1000; ++i)
    expectRoundTrip(*tokenizer, randomBytes(random, static_cast<int>(random() % 80)));
}

TEST_P(RoundTrip, DamagedTextWithSpecialTokens) {
  std::mt19937 random(3);
  const auto tokenizer = richTokenizer(random, GetParam());
  const std::string parts[] = {"<|im_start|>", "<|im_end|>", "<|im", "<s>",      "é",    "é\xFF",
                               "   ",          "abc de",     "\xF0", "\x9F\x98", "😀",   "\xC0",
                               "\xED\xA0\x80", "\r\n",       "12",   "\xF4\x90", "\xE0", "\0"};
  for (int i = 0; i < 1000; ++i) {
    std::string text;
    for (uint32_t count = random() % 20; count > 0; --count)
      text += parts[random() % std::size(parts)];
    expectRoundTrip(*tokenizer, text);
  }
}

TEST_P(RoundTrip, LongInvalidStretch) {
  std::mt19937 random(4);
  const auto tokenizer = richTokenizer(random, GetParam());
  expectRoundTrip(*tokenizer, std::string(1 << 18, '\xFF'));
  expectRoundTrip(*tokenizer, randomBytes(random, 1 << 16));
}

TEST_P(RoundTrip, ThreadsMayShareATokenizer) {
  std::mt19937 random(5);
  const auto tokenizer = richTokenizer(random, GetParam());
  const std::string text = randomText(random, 2000);
  const std::vector<int32_t> expected = encode(*tokenizer, text);
  std::vector<std::vector<int32_t>> results(3);
  std::vector<std::thread> threads;
  for (std::vector<int32_t> &result : results)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        result = encode(*tokenizer, text);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<int32_t> &result : results)
    EXPECT_EQ(result, expected);
}

INSTANTIATE_TEST_SUITE_P(PreTokenizers, RoundTrip,
                         testing::Values("gpt-2", "smollm", "llama-bpe", "qwen2"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
