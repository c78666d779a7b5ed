//===- VocabularyJsonTest.cpp - tokenizer.json, good and bad ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TestVocabulary.h"
#include "quench-rt/Tokenizer/Vocabulary.h"

#include "gtest/gtest.h"

#include <nlohmann/json.hpp>

#include <random>

using namespace qrt;
using namespace qrt::test;
using nlohmann::json;

namespace {

void expectEqual(const Vocabulary &a, const Vocabulary &b) {
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.preTokenizer, b.preTokenizer);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.types, b.types);
  EXPECT_EQ(a.merges, b.merges);
  EXPECT_EQ(a.scores, b.scores);
  EXPECT_EQ(a.addSpacePrefix, b.addSpacePrefix);
  EXPECT_EQ(a.removeExtraWhitespaces, b.removeExtraWhitespaces);
  EXPECT_EQ(a.bos, b.bos);
  EXPECT_EQ(a.eos, b.eos);
  EXPECT_EQ(a.unk, b.unk);
  EXPECT_EQ(a.pad, b.pad);
  EXPECT_EQ(a.eog, b.eog);
  EXPECT_EQ(a.addBos, b.addBos);
  EXPECT_EQ(a.addEos, b.addEos);
  EXPECT_EQ(a.chatTemplate, b.chatTemplate);
}

Vocabulary sample() {
  Vocabulary vocabulary = byteVocabulary({{"a", "b"}, {" ", "ab"}});
  vocabulary.bos = addToken(vocabulary, "<s>", TokenType::Control);
  vocabulary.eos = addToken(vocabulary, "</s>", TokenType::Control);
  vocabulary.unk = addToken(vocabulary, "<unk>", TokenType::Unknown);
  vocabulary.pad = vocabulary.eos;
  vocabulary.eog = {vocabulary.unk, 5};
  vocabulary.addBos = true;
  vocabulary.addEos = true;
  vocabulary.chatTemplate = "{{ '<s>' }}\n\"quoted\" \\ é";
  return vocabulary;
}

std::string readError(const std::string &text) {
  absl::StatusOr<Vocabulary> vocabulary = vocabularyFromJson(text, "t.json");
  EXPECT_FALSE(vocabulary.ok());
  EXPECT_EQ(vocabulary.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(vocabulary.status().message());
}

TEST(VocabularyJson, RoundTrip) {
  const Vocabulary vocabulary = sample();
  const std::string text = vocabularyToJson(vocabulary);
  absl::StatusOr<Vocabulary> read = vocabularyFromJson(text, "t.json");
  ASSERT_TRUE(read.ok()) << read.status();
  expectEqual(*read, vocabulary);
  EXPECT_EQ(vocabularyToJson(*read), text);
}

TEST(VocabularyJson, ScoresSurvive) {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  for (float score : {0.0f, -0.1f, 1e-45f, -3.4028234e38f, 16777217.0f})
    addPiece(vocabulary, std::to_string(score), score);
  vocabulary.addSpacePrefix = true;
  vocabulary.removeExtraWhitespaces = true;
  absl::StatusOr<Vocabulary> read = vocabularyFromJson(vocabularyToJson(vocabulary), "t.json");
  ASSERT_TRUE(read.ok()) << read.status();
  expectEqual(*read, vocabulary);
}

TEST(VocabularyJson, AnyBytesSurvive) {
  std::mt19937 random(7);
  Vocabulary vocabulary = sample();
  for (int i = 0; i < 300; ++i) {
    addToken(vocabulary, randomBytes(random, static_cast<int>(random() % 12)),
             TokenType::UserDefined);
    vocabulary.merges.push_back(randomBytes(random, 5));
  }
  vocabulary.tokens[0] = std::string("\0x", 2);
  vocabulary.chatTemplate = "\xFF\xFE";
  vocabulary.preTokenizer = "\xC0";
  absl::StatusOr<Vocabulary> read = vocabularyFromJson(vocabularyToJson(vocabulary), "t.json");
  ASSERT_TRUE(read.ok()) << read.status();
  expectEqual(*read, vocabulary);
}

TEST(VocabularyJson, OptionalMembersHaveDefaults) {
  const std::string text = R"({"format": "quench.tokenizer", "version": 1, "model": "gpt2",
      "pre_tokenizer": "gpt-2", "tokens": ["a"], "merges": [], "later": {"x": 1}})";
  absl::StatusOr<Vocabulary> read = vocabularyFromJson(text, "t.json");
  ASSERT_TRUE(read.ok()) << read.status();
  Vocabulary expected;
  expected.model = "gpt2";
  expected.preTokenizer = "gpt-2";
  expected.tokens = {"a"};
  expectEqual(*read, expected);
}

TEST(VocabularyJson, RefusesWhatIsNotAVocabulary) {
  EXPECT_EQ(readError(""), "t.json: not valid JSON");
  EXPECT_EQ(readError("{"), "t.json: not valid JSON");
  EXPECT_EQ(readError("{} {}"), "t.json: not valid JSON");
  EXPECT_EQ(readError("{\"format\": \"\xFF\"}"), "t.json: not valid JSON");
  EXPECT_EQ(readError("[]"), "t.json: found JSON of type array, expected an object");
  EXPECT_EQ(readError("{}"), "t.json: 'format': missing");
  EXPECT_EQ(readError(R"({"format": 1})"), "t.json: 'format': found number, expected a string");
  EXPECT_EQ(readError(R"({"format": "other"})"),
            "t.json: 'format': found 'other', expected 'quench.tokenizer'");
  EXPECT_EQ(readError(R"({"format": "quench.tokenizer"})"), "t.json: 'version': missing");
  EXPECT_EQ(readError(R"({"format": "quench.tokenizer", "version": 2})"),
            "t.json: 'version': found 2, expected 1");
}

TEST(VocabularyJson, RefusesWrongMembers) {
  const std::string kRange = "expected an integer from -2147483648 to 2147483647";
  const json good = json::parse(vocabularyToJson(sample()));
  const auto with = [&](const char *key, const json &value) {
    json object = good;
    object[key] = value;
    return readError(object.dump());
  };
  for (const char *key : {"model", "pre_tokenizer", "tokens", "merges"}) {
    json object = good;
    object.erase(key);
    EXPECT_EQ(readError(object.dump()), "t.json: '" + std::string(key) + "': missing");
  }
  EXPECT_EQ(with("model", nullptr),
            "t.json: 'model': found null, expected a string or {\"hex\": \"00ff\"}");
  EXPECT_EQ(with("tokens", "a"), "t.json: 'tokens': found string, expected an array");
  EXPECT_EQ(with("tokens", json::array({"a", 3})),
            "t.json: 'tokens[1]': found number, expected a string or {\"hex\": \"00ff\"}");
  EXPECT_EQ(with("tokens", json::array()), "t.json: the vocabulary has no tokens");
  EXPECT_EQ(with("merges", json::array({json::object()})),
            "t.json: 'merges[0]': found object, expected a string or {\"hex\": \"00ff\"}");
  EXPECT_EQ(with("merges", json::array({{{"hex", "0"}}})),
            "t.json: 'merges[0]': found '0', expected pairs of hexadecimal digits");
  EXPECT_EQ(with("merges", json::array({{{"hex", "0g"}}})),
            "t.json: 'merges[0]': found '0g', expected pairs of hexadecimal digits");
  EXPECT_EQ(with("merges", json::array({{{"hex", 7}}})),
            "t.json: 'merges[0]': found object, expected a string or {\"hex\": \"00ff\"}");
  EXPECT_EQ(with("types", json::array({1, 2})),
            "t.json: the vocabulary has 261 tokens but 2 token types; "
            "expected as many, or none");
  EXPECT_EQ(with("scores", json::array({1, nullptr})),
            "t.json: 'scores[1]': found null, expected a number");
  EXPECT_EQ(with("scores", json::array({1.5})),
            "t.json: the vocabulary has 261 tokens but 1 scores; expected as many, or none");
  EXPECT_EQ(with("scores", json(std::vector<double>(261, 1e300))),
            "t.json: token 0 has the score inf; expected a finite number");
  EXPECT_EQ(with("types", json::array({1.5})), "t.json: 'types[0]': found number, " + kRange);
  EXPECT_EQ(with("bos", "x"), "t.json: 'bos': found string, " + kRange);
  for (const json &number :
       {json(2147483648), json(-2147483649), json(18446744073709551615u), json(1ull << 63)})
    EXPECT_EQ(with("bos", number), "t.json: 'bos': found " + number.dump() + ", " + kRange);
  EXPECT_EQ(with("bos", 261),
            "t.json: the id of the beginning-of-text token is 261; expected 0 to 260, or -1 for "
            "none");
  EXPECT_EQ(with("add_bos", 1), "t.json: 'add_bos': found number, expected true or false");
}

TEST(VocabularyJson, DamageNeverCrashes) {
  std::mt19937 random(13);
  const std::string good = vocabularyToJson(sample());
  for (int i = 0; i < 1000; ++i) {
    std::string bad = good;
    if (i % 2)
      bad.resize(random() % bad.size());
    else
      for (int flips = 0; flips < 4; ++flips)
        bad[random() % bad.size()] = static_cast<char>(random() & 0xFF);
    absl::StatusOr<Vocabulary> read = vocabularyFromJson(bad, "t.json");
    if (read.ok())
      (void)Tokenizer::create(*std::move(read)).ok();
  }
}

TEST(VocabularyJson, DeepNestingIsNotRecursion) {
  const std::string deep(1 << 20, '[');
  EXPECT_EQ(readError(deep), "t.json: not valid JSON");
  EXPECT_EQ(readError(deep + std::string(1 << 20, ']')),
            "t.json: found JSON of type array, expected an object");
}

} // namespace
