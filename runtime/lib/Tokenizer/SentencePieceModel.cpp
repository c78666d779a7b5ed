//===- SentencePieceModel.cpp - tokens with scores, spaces as a character --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SentencePieceModel.h"

#include "quench-rt/Support/Text.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

#include <algorithm>
#include <limits>

using namespace qrt;

/// U+2581, which stands for a space in tokens and while text is encoded.
static constexpr absl::string_view kSpace = "\xE2\x96\x81";

/// The byte of a name such as `<0x0A>`, or -1.
static int byteOfName(absl::string_view name) {
  constexpr absl::string_view digits = "0123456789ABCDEF";
  if (name.size() != 6 || name.substr(0, 3) != "<0x" || name[5] != '>')
    return -1;
  const size_t high = digits.find(name[3]), low = digits.find(name[4]);
  const bool found = high != absl::string_view::npos && low != absl::string_view::npos;
  return found ? static_cast<int>(high * 16 + low) : -1;
}

absl::Status SentencePieceModel::check(const Vocabulary &vocabulary) {
  const size_t size = vocabulary.tokens.size();
  if (vocabulary.types.empty())
    return absl::InvalidArgumentError(
        "the vocabulary has no token types; a 'llama' tokenizer needs one for each token");
  if (vocabulary.scores.size() != size)
    return absl::InvalidArgumentError(
        absl::StrCat("the vocabulary has ", size, " tokens but ", vocabulary.scores.size(),
                     " scores; a 'llama' tokenizer needs one for each token"));
  absl::flat_hash_map<absl::string_view, size_t> ids;
  ids.reserve(size);
  for (size_t id = 0; id < size; ++id) {
    const std::string &token = vocabulary.tokens[id];
    // Nothing can become an empty token, so some files fill gaps with them.
    if (token.empty())
      continue;
    if (const auto [first, isNew] = ids.emplace(token, id); !isNew)
      return absl::InvalidArgumentError(absl::StrCat("token ", id, " (", qrt::quoted(token),
                                                     ") is the same as token ", first->second,
                                                     "; expected each token once"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TextModel>>
SentencePieceModel::create(const Vocabulary &vocabulary) {
  std::unique_ptr<SentencePieceModel> model(new SentencePieceModel);
  model->addSpacePrefix = vocabulary.addSpacePrefix;
  model->removeExtraWhitespaces = vocabulary.removeExtraWhitespaces;
  model->unknown = vocabulary.unk;
  model->byteIds.fill(-1);
  model->encoder.reserve(vocabulary.tokens.size());

  for (size_t i = 0; i < vocabulary.tokens.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const std::string &token = vocabulary.tokens[i];
    const float score = vocabulary.scores[i];
    switch (static_cast<TokenType>(vocabulary.types[i])) {
    case TokenType::Normal:
      model->encoder.add(token, id, score, ScoreMergeEncoder::Kind::Merged);
      break;
    case TokenType::Unused:
      model->encoder.add(token, id, score, ScoreMergeEncoder::Kind::Split);
      break;
    case TokenType::UserDefined:
      // These are stored with spaces, but looked for where spaces have been replaced.
      model->userDefined.push_back(absl::StrReplaceAll(token, {{" ", kSpace}}));
      model->encoder.add(model->userDefined.back(), id, score, ScoreMergeEncoder::Kind::Whole);
      break;
    case TokenType::Byte:
      if (byteOfName(token) < 0)
        return absl::InvalidArgumentError(
            absl::StrCat("token ", id, " (", qrt::quoted(token),
                         ") has the type of a byte; expected a name from '<0x00>' to '<0xFF>'"));
      model->byteIds[static_cast<size_t>(byteOfName(token))] = id;
      model->hasByteTokens = true;
      break;
    case TokenType::Unknown:
      if (model->unknown < 0)
        model->unknown = id;
      break;
    case TokenType::Control:
      break;
    }
  }
  if (const auto missing = std::find(model->byteIds.begin(), model->byteIds.end(), -1);
      model->hasByteTokens && missing != model->byteIds.end())
    return absl::InvalidArgumentError(absl::StrFormat(
        "the vocabulary has byte tokens, but none for the byte 0x%02X; expected all 256, or none",
        missing - model->byteIds.begin()));
  return std::unique_ptr<TextModel>(std::move(model));
}

std::string SentencePieceModel::bytesOf(absl::string_view token, TokenType type) {
  switch (type) {
  case TokenType::Normal:
  case TokenType::UserDefined:
  case TokenType::Unused:
    // Every token of a vocabulary comes here when a model is loaded.
    return absl::StrContains(token, kSpace) ? absl::StrReplaceAll(token, {{kSpace, " "}})
                                            : std::string(token);
  case TokenType::Byte:
    if (const int byte = byteOfName(token); byte >= 0)
      return std::string(1, static_cast<char>(byte));
    break;
  case TokenType::Control:
  case TokenType::Unknown:
    break;
  }
  return std::string(token);
}

/// Writes spaces as U+2581, and adds or removes those that the model wants to.
std::string SentencePieceModel::normalize(absl::string_view text) const {
  if (removeExtraWhitespaces)
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::string out;
  if (text.empty())
    return out;
  out.reserve(text.size() + text.size() / 2);
  if (addSpacePrefix)
    out.append(kSpace.data(), kSpace.size());
  bool afterSpace = removeExtraWhitespaces;
  for (char byte : text) {
    if (byte != ' ')
      out += byte;
    else if (!afterSpace)
      out.append(kSpace.data(), kSpace.size());
    afterSpace = removeExtraWhitespaces && byte == ' ';
  }
  while (removeExtraWhitespaces && absl::EndsWith(out, kSpace))
    out.resize(out.size() - kSpace.size());
  return out;
}

absl::StatusOr<int64_t> SentencePieceModel::encode(absl::string_view text,
                                                   std::vector<int32_t> &ids) const {
  const std::string normalized = normalize(text);
  constexpr size_t limit = std::numeric_limits<uint32_t>::max() - 1;
  if (normalized.size() > limit)
    return absl::InvalidArgumentError(absl::StrCat("the text has ", normalized.size(),
                                                   " bytes with spaces written as U+2581; ",
                                                   "at most ", limit, " can be encoded at once"));
  std::vector<ScoreMergeEncoder::Piece> pieces;
  encoder.encode(normalized, pieces);

  int64_t dropped = 0;
  bool afterUnknown = false;
  for (const ScoreMergeEncoder::Piece &piece : pieces) {
    const bool isUnknown = piece.id < 0;
    if (!isUnknown) {
      ids.push_back(piece.id);
    } else if (hasByteTokens) {
      for (char byte : piece.text)
        ids.push_back(byteIds[static_cast<unsigned char>(byte)]);
    } else if (unknown < 0) {
      dropped += static_cast<int64_t>(piece.text.size());
    } else if (!afterUnknown) {
      ids.push_back(unknown); // once for all unknown characters in a row
    }
    afterUnknown = isUnknown;
  }
  return dropped;
}
