//===- VocabularyGgufTest.cpp - the vocabulary in a model file -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TestVocabulary.h"
#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Support/AtomicFile.h"

#include "gtest/gtest.h"

#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace qrt;
using namespace qrt::test;

namespace {

/// Writes a GGUF file that has metadata only.
class MetadataWriter {
public:
  void add(const std::string &key, const std::string &value) {
    begin(key, GgufType::String);
    text(value);
  }
  void add(const std::string &key, const std::vector<std::string> &values) {
    begin(key, GgufType::Array);
    number(uint32_t(GgufType::String));
    number(uint64_t{values.size()});
    for (const std::string &value : values)
      text(value);
  }
  void add(const std::string &key, const std::vector<int32_t> &values) {
    begin(key, GgufType::Array);
    number(uint32_t(GgufType::Int32));
    number(uint64_t{values.size()});
    for (int32_t value : values)
      number(value);
  }
  void add(const std::string &key, const std::vector<float> &values) {
    begin(key, GgufType::Array);
    number(uint32_t(GgufType::Float32));
    number(uint64_t{values.size()});
    for (float value : values)
      number(value);
  }
  void add(const std::string &key, uint32_t value) {
    begin(key, GgufType::Uint32);
    number(value);
  }
  void add(const std::string &key, bool value) {
    begin(key, GgufType::Bool);
    number(uint8_t(value));
  }

  std::string file() const {
    MetadataWriter header;
    header.bytes = "GGUF";
    header.number(uint32_t{3});
    header.number(uint64_t{0});
    header.number(count);
    return header.bytes + bytes;
  }

private:
  template <typename T> void number(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  void text(const std::string &value) {
    number(uint64_t{value.size()});
    bytes += value;
  }
  void begin(const std::string &key, GgufType type) {
    ++count;
    text(key);
    number(uint32_t(type));
  }

  std::string bytes;
  uint64_t count = 0;
};

class VocabularyGguf : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             ("qrt-vocabulary-gguf-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    path = (folder / "vocabulary.gguf").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  absl::StatusOr<Vocabulary> read(const MetadataWriter &writer) {
    if (absl::Status status = writeFileAtomically(path, writer.file()); !status.ok())
      return status;
    absl::StatusOr<GgufFile> file = GgufFile::open(path);
    if (!file.ok())
      return file.status();
    return vocabularyFromGguf(*file);
  }

  std::string readError(const MetadataWriter &writer) {
    absl::StatusOr<Vocabulary> vocabulary = read(writer);
    EXPECT_FALSE(vocabulary.ok());
    std::string message(vocabulary.status().message());
    EXPECT_EQ(message.find(path + ": "), 0u) << message;
    return message;
  }

  std::filesystem::path folder;
  std::string path;
};

/// What every file with a byte-level vocabulary has.
MetadataWriter basic(const Vocabulary &vocabulary) {
  MetadataWriter writer;
  writer.add("tokenizer.ggml.model", vocabulary.model);
  writer.add("tokenizer.ggml.pre", vocabulary.preTokenizer);
  writer.add("tokenizer.ggml.tokens", vocabulary.tokens);
  writer.add("tokenizer.ggml.merges", vocabulary.merges);
  return writer;
}

TEST_F(VocabularyGguf, ReadsEverything) {
  Vocabulary vocabulary = byteVocabulary({{"a", "b"}}, "smollm");
  addToken(vocabulary, "<s>", TokenType::Control);
  MetadataWriter writer = basic(vocabulary);
  writer.add("tokenizer.ggml.token_type", vocabulary.types);
  writer.add("tokenizer.ggml.bos_token_id", 257u);
  writer.add("tokenizer.ggml.eos_token_id", 1u);
  writer.add("tokenizer.ggml.unknown_token_id", 2u);
  writer.add("tokenizer.ggml.padding_token_id", 3u);
  writer.add("tokenizer.ggml.eot_token_id", 4u);
  writer.add("tokenizer.ggml.eom_token_id", 5u);
  writer.add("tokenizer.ggml.add_bos_token", true);
  writer.add("tokenizer.ggml.add_eos_token", true);
  writer.add("tokenizer.chat_template", std::string("{{ messages }}"));
  absl::StatusOr<Vocabulary> result = read(writer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->model, "gpt2");
  EXPECT_EQ(result->preTokenizer, "smollm");
  EXPECT_EQ(result->tokens, vocabulary.tokens);
  EXPECT_EQ(result->types, vocabulary.types);
  EXPECT_EQ(result->merges, vocabulary.merges);
  EXPECT_EQ(result->bos, 257);
  EXPECT_EQ(result->eos, 1);
  EXPECT_EQ(result->unk, 2);
  EXPECT_EQ(result->pad, 3);
  EXPECT_EQ(result->eog, (std::vector<int32_t>{4, 5}));
  EXPECT_TRUE(result->addBos);
  EXPECT_TRUE(result->addEos);
  EXPECT_EQ(result->chatTemplate, "{{ messages }}");
  EXPECT_EQ(encode(*makeTokenizer(*result), "ab"), (std::vector<int32_t>{257, 256, 1}));
}

TEST_F(VocabularyGguf, DefaultsOfAShortFile) {
  MetadataWriter writer = basic(byteVocabulary());
  writer.add("tokenizer.ggml.bos_token_id", 0xFFFFFFFFu);
  absl::StatusOr<Vocabulary> result = read(writer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->types.empty());
  EXPECT_EQ(result->bos, -1);
  EXPECT_EQ(result->eos, -1);
  EXPECT_FALSE(result->addBos);
  EXPECT_FALSE(result->addEos);
  EXPECT_EQ(result->chatTemplate, "");
}

TEST_F(VocabularyGguf, Llama3AddsABeginningUnlessTheFileSaysNo) {
  MetadataWriter writer = basic(byteVocabulary({}, "llama-bpe"));
  EXPECT_FALSE(read(writer)->addBos) << "there is none to add";
  writer.add("tokenizer.ggml.bos_token_id", 1u);
  EXPECT_TRUE(read(writer)->addBos);
  writer.add("tokenizer.ggml.add_bos_token", false);
  EXPECT_FALSE(read(writer)->addBos);
}

TEST_F(VocabularyGguf, OtherKindsAreReadAndThenRefusedByName) {
  MetadataWriter writer;
  writer.add("tokenizer.ggml.model", std::string("bert"));
  writer.add("tokenizer.ggml.tokens", std::vector<std::string>{"[UNK]", "a"});
  absl::StatusOr<Vocabulary> result = read(writer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Tokenizer::create(*result).status().code(), absl::StatusCode::kUnimplemented);
}

/// What every file with a vocabulary of SentencePiece has.
MetadataWriter sentencePieces() {
  MetadataWriter writer;
  writer.add("tokenizer.ggml.model", std::string("llama"));
  writer.add("tokenizer.ggml.tokens", std::vector<std::string>{"<unk>", "<s>", "▁", "▁a", "a"});
  writer.add("tokenizer.ggml.token_type", std::vector<int32_t>{2, 3, 1, 1, 1});
  writer.add("tokenizer.ggml.scores", std::vector<float>{0, 0, -3, -1, -2});
  return writer;
}

TEST_F(VocabularyGguf, SentencePiece) {
  MetadataWriter writer = sentencePieces();
  absl::StatusOr<Vocabulary> result = read(writer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->scores, (std::vector<float>{0, 0, -3, -1, -2}));
  EXPECT_TRUE(result->addSpacePrefix);
  EXPECT_FALSE(result->removeExtraWhitespaces);
  EXPECT_FALSE(result->addBos) << "there is none to add";
  EXPECT_EQ(encode(*makeTokenizer(*result), "aa"), (std::vector<int32_t>{3, 4}));

  writer.add("tokenizer.ggml.bos_token_id", 1u);
  writer.add("tokenizer.ggml.add_space_prefix", false);
  writer.add("tokenizer.ggml.remove_extra_whitespaces", true);
  result = read(writer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->addBos);
  EXPECT_FALSE(result->addSpacePrefix);
  EXPECT_TRUE(result->removeExtraWhitespaces);
  EXPECT_EQ(encode(*makeTokenizer(*result), " a  a"), (std::vector<int32_t>{1, 4, 3}));
}

TEST_F(VocabularyGguf, SentencePieceKeysAreNamed) {
  const auto names = [&](const MetadataWriter &writer, const std::string &text) {
    const std::string message = readError(writer);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  MetadataWriter writer;
  writer.add("tokenizer.ggml.model", std::string("llama"));
  writer.add("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b"});
  names(writer, "tokenizer.ggml.scores");
  writer.add("tokenizer.ggml.scores", std::vector<float>{1});
  names(writer, "tokenizer.ggml.token_type");
  writer.add("tokenizer.ggml.token_type", std::vector<int32_t>{1, 1});
  names(writer, "2 tokens but 1 scores");

  writer = sentencePieces();
  writer.add("tokenizer.ggml.precompiled_charsmap", std::vector<int32_t>{1});
  names(writer, "tokenizer.ggml.precompiled_charsmap");
  writer = sentencePieces();
  writer.add("tokenizer.ggml.add_space_prefix", 1u);
  names(writer, "tokenizer.ggml.add_space_prefix");
}

TEST_F(VocabularyGguf, MissingKeysAreNamed) {
  MetadataWriter writer;
  EXPECT_NE(readError(writer).find("tokenizer.ggml.model"), std::string::npos);
  writer.add("tokenizer.ggml.model", std::string("gpt2"));
  EXPECT_NE(readError(writer).find("tokenizer.ggml.tokens"), std::string::npos);
  writer.add("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
  EXPECT_NE(readError(writer).find("tokenizer.ggml.merges"), std::string::npos);
  writer.add("tokenizer.ggml.merges", std::vector<std::string>{});
  EXPECT_NE(readError(writer).find("tokenizer.ggml.pre"), std::string::npos);
}

TEST_F(VocabularyGguf, WrongValuesAreNamed) {
  const auto with = [&](const std::string &key, const auto &value) {
    MetadataWriter writer = basic(byteVocabulary());
    writer.add(key, value);
    return readError(writer);
  };
  EXPECT_NE(with("tokenizer.ggml.eos_token_id", 256u).find("end-of-text token is 256"),
            std::string::npos);
  EXPECT_NE(with("tokenizer.ggml.eot_token_id", 0x80000000u).find("tokenizer.ggml.eot_token_id"),
            std::string::npos);
  EXPECT_NE(with("tokenizer.ggml.eos_token_id", std::string("1")).find("eos_token_id"),
            std::string::npos);
  EXPECT_NE(with("tokenizer.ggml.token_type", std::vector<int32_t>{1}).find("1 token types"),
            std::string::npos);
  EXPECT_NE(with("tokenizer.ggml.add_bos_token", true).find("names none"), std::string::npos);
  EXPECT_NE(with("tokenizer.ggml.add_bos_token", 1u).find("add_bos_token"), std::string::npos);
}

} // namespace
