//===- ByteLevelModel.cpp - byte-pair encoding inside of words -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ByteLevelModel.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Utf8.h"

#include <algorithm>
#include <utility>

using namespace qrt;

absl::StatusOr<std::unique_ptr<TextModel>>
ByteLevelModel::create(const Vocabulary &vocabulary, absl::Span<const std::string> bytes) {
  QRT_ASSIGN_OR_RETURN(PreTokenizer preTokenizer, PreTokenizer::create(vocabulary.preTokenizer));
  std::vector<BytePairEncoder::Token> mergeable, userDefined;
  mergeable.reserve(bytes.size());
  for (size_t id = 0; id < bytes.size(); ++id) {
    const BytePairEncoder::Token token = {bytes[id], static_cast<int32_t>(id)};
    const auto type = static_cast<TokenType>(vocabulary.types[id]);
    if (type == TokenType::Normal || type == TokenType::Byte)
      mergeable.push_back(token);
    else if (type == TokenType::UserDefined)
      userDefined.push_back(token);
  }
  // Some vocabularies mark a token that merges produce as user-defined as well. Control
  // tokens are never among them: ordinary text must not become one.
  mergeable.insert(mergeable.end(), userDefined.begin(), userDefined.end());
  QRT_ASSIGN_OR_RETURN(
      BytePairEncoder encoder,
      BytePairEncoder::create(mergeable, vocabulary.merges, preTokenizer.rules().ignoreMerges));
  return std::unique_ptr<TextModel>(
      new ByteLevelModel(std::move(preTokenizer), std::move(encoder)));
}

/// Valid UTF-8 goes through the pre-tokenizer, each invalid stretch is one piece.
absl::StatusOr<int64_t> ByteLevelModel::encode(absl::string_view text,
                                               std::vector<int32_t> &ids) const {
  std::vector<absl::string_view> pieces;
  size_t at = 0;
  while (at < text.size()) {
    const size_t valid = validPrefix(text.substr(at));
    if (valid > 0) {
      QRT_RETURN_IF_ERROR(preTokenizer.split(text.substr(at, valid), pieces));
      at += valid;
    }
    const size_t begin = at;
    while (at < text.size()) {
      const Utf8Character character = firstCharacter(text.substr(at));
      if (character.complete)
        break;
      at += std::max<size_t>(character.length, 1);
    }
    if (at > begin)
      pieces.push_back(text.substr(begin, at - begin));
  }
  BytePairEncoder::Scratch scratch;
  int64_t dropped = 0;
  for (absl::string_view piece : pieces)
    dropped += encoder.encode(piece, scratch, ids);
  return dropped;
}

bool ByteLevelModel::keepsAllBytes() const {
  for (int byte = 0; byte < 256; ++byte)
    if (!encoder.hasByte(static_cast<unsigned char>(byte)))
      return false;
  return true;
}
