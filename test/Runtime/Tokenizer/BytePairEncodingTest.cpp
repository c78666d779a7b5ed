//===- BytePairEncodingTest.cpp - merging against its definition -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TestVocabulary.h"

#include "gtest/gtest.h"

#include <chrono>
#include <map>

using namespace qrt;
using namespace qrt::test;

namespace {

using Ids = std::vector<int32_t>;

/// Byte-pair encoding as it is defined: look for the lowest rank among all neighbours,
/// merge its leftmost pair, start again.
Ids mergeSlowly(const Merges &merges, const std::string &word) {
  std::map<std::pair<std::string, std::string>, size_t> ranks;
  std::map<std::string, int32_t> ids;
  for (int byte = 0; byte < 256; ++byte)
    ids[std::string(1, static_cast<char>(byte))] = byte;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    ranks[merges[rank]] = rank;
    ids[merges[rank].first + merges[rank].second] = static_cast<int32_t>(256 + rank);
  }
  std::vector<std::string> parts;
  for (char byte : word)
    parts.emplace_back(1, byte);
  while (true) {
    size_t bestRank = merges.size(), best = 0;
    for (size_t i = 0; i + 1 < parts.size(); ++i)
      if (const auto found = ranks.find({parts[i], parts[i + 1]});
          found != ranks.end() && found->second < bestRank) {
        bestRank = found->second;
        best = i;
      }
    if (bestRank == merges.size())
      break;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  Ids out;
  for (const std::string &part : parts)
    out.push_back(ids.at(part));
  return out;
}

TEST(BytePairEncoding, MergesByRankNotByPosition) {
  const auto tokenizer = makeTokenizer(byteVocabulary({{"b", "c"}, {"a", "b"}, {"a", "bc"}}));
  EXPECT_EQ(encode(*tokenizer, "abc"), (Ids{258}));
  EXPECT_EQ(encode(*tokenizer, "abab"), (Ids{257, 257}));
  EXPECT_EQ(encode(*tokenizer, "cab"), (Ids{'c', 257}));
}

TEST(BytePairEncoding, EqualRanksGoFromTheLeft) {
  const auto tokenizer = makeTokenizer(byteVocabulary({{"a", "a"}}));
  EXPECT_EQ(encode(*tokenizer, "aaa"), (Ids{256, 'a'}));
  EXPECT_EQ(encode(*tokenizer, "aaaaa"), (Ids{256, 256, 'a'}));
}

TEST(BytePairEncoding, DoesNotMergeAcrossPieces) {
  const auto tokenizer = makeTokenizer(byteVocabulary({{"a", " "}, {" ", "b"}}));
  EXPECT_EQ(encode(*tokenizer, "a b"), (Ids{'a', 257}));
}

TEST(BytePairEncoding, MergesBytesOfCharacters) {
  const auto tokenizer = makeTokenizer(byteVocabulary({{"\xC3", "\xA9"}, {"\xC3\xA9", "e"}}));
  EXPECT_EQ(encode(*tokenizer, "ée"), (Ids{257}));
  EXPECT_EQ(encode(*tokenizer, "è"), (Ids{0xC3, 0xA8}));
}

TEST(BytePairEncoding, IgnoreMergesTakesWholePieces) {
  // `bcd` cannot come out of the merges, which start with `ab` or end with `bc`.
  const Merges merges = {{"b", "c"}, {"bc", "e"}};
  Vocabulary vocabulary = byteVocabulary(merges, "llama-bpe");
  const int32_t whole = addToken(vocabulary, "bcd", TokenType::Normal);
  EXPECT_EQ(encode(*makeTokenizer(vocabulary), "bcd"), (Ids{whole}));
  EXPECT_EQ(encode(*makeTokenizer(vocabulary), "bcdx"), (Ids{256, 'd', 'x'}));
  vocabulary.preTokenizer = "gpt-2";
  EXPECT_EQ(encode(*makeTokenizer(vocabulary), "bcd"), (Ids{256, 'd'}));
}

TEST(BytePairEncoding, AgreesWithItsDefinition) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const std::string letters = round % 2 ? "ab" : "abcde";
    const Merges merges = randomMerges(random, letters, 1 + static_cast<int>(random() % 60));
    const auto tokenizer = makeTokenizer(byteVocabulary(merges));
    for (int i = 0; i < 40; ++i) {
      std::string word;
      for (int length = static_cast<int>(random() % 50); length >= 0; --length)
        word += letters[random() % letters.size()];
      ASSERT_EQ(encode(*tokenizer, word), mergeSlowly(merges, word)) << word;
    }
  }
}

TEST(BytePairEncoding, LongWordsAreNotQuadratic) {
  // a, aa, aaaa, … and, to end with candidates that go stale, aab.
  Merges merges;
  for (size_t length = 1; length <= 64; length *= 2)
    merges.emplace_back(std::string(length, 'a'), std::string(length, 'a'));
  merges.emplace_back("aa", "b");
  const auto tokenizer = makeTokenizer(byteVocabulary(merges));
  const auto start = std::chrono::steady_clock::now();
  const Ids ids = encode(*tokenizer, std::string(1 << 20, 'a'));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ids, Ids((1 << 20) / 128, 256 + 6));
  // About a quarter of a second, but a test machine may be busy or instrumented. A
  // quadratic algorithm would need 10^12 steps.
  EXPECT_LT(elapsed.count(), 60.0);
}

} // namespace
