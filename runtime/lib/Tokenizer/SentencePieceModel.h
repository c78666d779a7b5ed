//===- SentencePieceModel.h - tokens with scores, spaces as a character ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The kind `llama`: the byte-pair models of the SentencePiece library, described in
// Kudo and Richardson, 2018 (https://github.com/google/sentencepiece). There are no
// words: U+2581 stands for a space, so a token may cross one.
//
// Where this differs from the library: bytes that are no UTF-8 keep their value if there
// are byte tokens, instead of becoming U+FFFD.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_TOKENIZER_SENTENCEPIECEMODEL_H
#define QUENCH_RT_LIB_TOKENIZER_SENTENCEPIECEMODEL_H

#include "ScoreMergeEncoder.h"
#include "TextModel.h"
#include "quench-rt/Tokenizer/Vocabulary.h"

#include "absl/status/status.h"

#include <array>
#include <deque>
#include <memory>
#include <string>

namespace qrt {

class SentencePieceModel final : public TextModel {
public:
  /// Refuses a vocabulary without scores or types, or with a token twice.
  static absl::Status check(const Vocabulary &vocabulary);

  /// Borrows the tokens of a vocabulary that passes the check. Refuses byte tokens that
  /// are not one for each byte.
  static absl::StatusOr<std::unique_ptr<TextModel>> create(const Vocabulary &vocabulary);

  /// What a token stands for: one byte for a byte token, text with spaces for others.
  static std::string bytesOf(absl::string_view token, TokenType type);

  absl::StatusOr<int64_t> encode(absl::string_view text, std::vector<int32_t> &ids) const override;
  bool keepsAllBytes() const override { return hasByteTokens && !removeExtraWhitespaces; }
  LeadingSpaces dropsLeadingSpaces() const override {
    if (removeExtraWhitespaces)
      return LeadingSpaces::All;
    return addSpacePrefix ? LeadingSpaces::One : LeadingSpaces::None;
  }
  bool findsUserDefined() const override { return true; }

private:
  SentencePieceModel() = default;
  std::string normalize(absl::string_view text) const;

  /// What user-defined tokens look like in a normalized text; the encoder borrows them.
  std::deque<std::string> userDefined;
  ScoreMergeEncoder encoder;
  std::array<int32_t, 256> byteIds{};
  bool hasByteTokens = false;
  bool addSpacePrefix = false;
  bool removeExtraWhitespaces = false;
  int32_t unknown = -1;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_TOKENIZER_SENTENCEPIECEMODEL_H
