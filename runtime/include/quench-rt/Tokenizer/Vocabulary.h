//===- Vocabulary.h - what a model file says about its tokens --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A Vocabulary is plain data: the token strings of a model, the ranked merges or the
// scores of its byte-pair encoding, and the ids with a role. It comes from the metadata
// of a GGUF file or from the `tokenizer.json` of a package; Tokenizer.h turns it into
// something that encodes and decodes.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_TOKENIZER_VOCABULARY_H
#define QUENCH_RT_TOKENIZER_VOCABULARY_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt {

class GgufFile;

/// What a token is, with the numbers that GGUF gives the kinds.
enum class TokenType : int32_t {
  Normal = 1,      ///< text, written as the kind of tokenizer does
  Unknown = 2,     ///< stands for what the vocabulary cannot write
  Control = 3,     ///< structure of a prompt, such as `<|im_start|>`: not text
  UserDefined = 4, ///< text that is always one token, written as it is
  Unused = 5,      ///< a placeholder that fills the embedding table
  Byte = 6,        ///< `<0x0A>`, one byte; byte-level vocabularies have them as Normal
};

/// The tokens of a model. An id of -1 means that the model has no such token.
///
/// Nothing in it is checked until checkVocabulary (which Tokenizer::create calls):
/// the content of a file may be damaged or hostile.
struct Vocabulary {
  /// The kind of tokenizer, as GGUF's `tokenizer.ggml.model` names it: `gpt2` (byte-level
  /// byte-pair encoding) or `llama` (SentencePiece's byte-pair encoding).
  std::string model;
  /// For `gpt2`: how text is cut before merging: `gpt-2`, `smollm`, `llama-bpe`, …
  std::string preTokenizer;

  /// One string per id. Normal tokens are written in the byte alphabet of GPT-2, where
  /// each byte is one printable character (a space is U+0120), or, for `llama`, with
  /// U+2581 for a space. All others are as they are.
  std::vector<std::string> tokens;
  /// One TokenType per id, or (not for `llama`) empty: all normal.
  std::vector<int32_t> types;
  /// For `gpt2`: `left right`, in the byte alphabet; an earlier merge goes first.
  std::vector<std::string> merges;
  /// For `llama`: one per id, finite; the highest is merged first.
  std::vector<float> scores;

  int32_t bos = -1; ///< beginning of text
  int32_t eos = -1; ///< end of text, or of a turn
  int32_t unk = -1; ///< unknown
  int32_t pad = -1; ///< padding
  /// More ids that end a generation, besides `eos` and those known by name.
  std::vector<int32_t> eog;

  bool addBos = false; ///< the model expects `bos` before a text
  bool addEos = false; ///< the model expects `eos` after a text

  bool addSpacePrefix = false;         ///< `llama`: a text is encoded with a space before it
  bool removeExtraWhitespaces = false; ///< `llama`: spaces at its ends and double ones go

  /// The Jinja template of a conversation; empty if the model brings none.
  std::string chatTemplate;
};

/// Checks counts, ids, types and scores. What depends on the kind of tokenizer (merges,
/// byte tokens, the name of the pre-tokenizer) is checked by Tokenizer::create.
absl::Status checkVocabulary(const Vocabulary &vocabulary);

/// InvalidArgument, naming the first token that differs, unless a draft model has the
/// vocabulary of its target: ids mean the same in both.
absl::Status checkSameTokens(const Vocabulary &target, const Vocabulary &draft);

/// Reads the `tokenizer.*` metadata of a model file. A file without tensors is
/// enough. Errors name the key, what was found and what would be accepted.
absl::StatusOr<Vocabulary> vocabularyFromGguf(const GgufFile &file);

/// The text of a package's `tokenizer.json`: one object, keys as the members above
/// in snake case, with `"format": "quench.tokenizer"` and `"version": 1`. A string
/// that is not valid UTF-8 is written as `{"hex": "c0ff…"}`, so every vocabulary
/// survives a round trip unchanged.
std::string vocabularyToJson(const Vocabulary &vocabulary);

/// The reverse of vocabularyToJson, for text from outside: every type, count and
/// version is checked, and errors start with `source`, a name for messages.
absl::StatusOr<Vocabulary> vocabularyFromJson(absl::string_view json, absl::string_view source);

} // namespace qrt

#endif // QUENCH_RT_TOKENIZER_VOCABULARY_H
