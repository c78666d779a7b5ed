//===- TestVocabulary.h - small vocabularies for tests ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_RUNTIME_TOKENIZER_TESTVOCABULARY_H
#define QUENCH_TEST_RUNTIME_TOKENIZER_TESTVOCABULARY_H

#include "quench-rt/Tokenizer/Tokenizer.h"
#include "quench-rt/Tokenizer/Vocabulary.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace qrt::test {

using Merges = std::vector<std::pair<std::string, std::string>>;

/// `bytes` in the byte alphabet of GPT-2, written again from its definition.
std::string toAlphabet(const std::string &bytes);

/// 256 tokens for the bytes (id = byte), then one for each merge (id = 256 + rank).
Vocabulary byteVocabulary(const Merges &merges = {}, const std::string &preTokenizer = "gpt-2");

/// Appends a token as it is and returns its id.
int32_t addToken(Vocabulary &vocabulary, const std::string &text, TokenType type);

/// The same with a score.
int32_t addPiece(Vocabulary &vocabulary, const std::string &text, float score,
                 TokenType type = TokenType::Normal);

/// Merges of random tokens, all different, ranked in random order of creation.
Merges randomMerges(std::mt19937 &random, const std::string &letters, int count);

/// Fails the test if the vocabulary is refused.
std::unique_ptr<Tokenizer> makeTokenizer(Vocabulary vocabulary);

/// Fails the test if the text is refused.
std::vector<int32_t> encode(const Tokenizer &tokenizer, const std::string &text,
                            const EncodeOptions &options = {});

/// A text of valid characters from many scripts, with spaces, digits and line ends.
std::string randomText(std::mt19937 &random, int characters);

/// Any bytes.
std::string randomBytes(std::mt19937 &random, int count);

} // namespace qrt::test

#endif // QUENCH_TEST_RUNTIME_TOKENIZER_TESTVOCABULARY_H
