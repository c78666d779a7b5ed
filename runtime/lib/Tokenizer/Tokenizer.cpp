//===- Tokenizer.cpp - text to token ids and back --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/Tokenizer.h"

#include "ByteAlphabet.h"
#include "BytePairEncoder.h"
#include "SpecialTokens.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"
#include "quench-rt/Support/Utf8.h"
#include "quench-rt/Tokenizer/PreTokenizer.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <utility>

using namespace qrt;

/// Names with which model families end a turn, a message or a text. Files often list
/// only one of a model's several ends, and some give these tokens the wrong type.
static constexpr absl::string_view endNames[] = {
    "<|im_end|>",    "<|endoftext|>",         "<|eot_id|>", "<|eom_id|>",
    "<|end|>",       "<|end_of_text|>",       "<|return|>", "<|call|>",
    "<end_of_turn>", "<end_of_utterance>",    "<EOT>",      "_<EOT>",
    "[EOT]",         "<｜end▁of▁sentence｜>",
};

struct Tokenizer::Impl {
  Impl(Vocabulary vocabulary, PreTokenizer preTokenizer)
      : vocabulary(std::move(vocabulary)), preTokenizer(std::move(preTokenizer)) {}

  TokenType typeOf(int32_t id) const { return static_cast<TokenType>(vocabulary.types[id]); }
  bool contains(int32_t id) const { return id >= 0 && static_cast<size_t>(id) < bytes.size(); }

  absl::Status prepare();
  absl::Status encodeText(absl::string_view text, BytePairEncoder::Scratch &scratch,
                          std::vector<int32_t> &ids, int64_t &dropped) const;

  Vocabulary vocabulary;
  PreTokenizer preTokenizer;
  /// What each token stands for; `encoder` and `special` borrow from it.
  std::vector<std::string> bytes;
  std::vector<bool> endsGeneration;
  BytePairEncoder encoder;
  SpecialTokens special;
};

absl::Status Tokenizer::Impl::prepare() {
  const auto size = static_cast<int32_t>(vocabulary.tokens.size());
  vocabulary.types.resize(size, static_cast<int32_t>(TokenType::Normal));
  endsGeneration.resize(size);
  if (vocabulary.eos >= 0)
    endsGeneration[vocabulary.eos] = true;
  for (int32_t id : vocabulary.eog)
    endsGeneration[id] = true;

  bytes.reserve(size);
  std::vector<BytePairEncoder::Token> mergeable;
  mergeable.reserve(size);
  std::vector<BytePairEncoder::Token> userDefined;
  for (int32_t id = 0; id < size; ++id) {
    const std::string &text = vocabulary.tokens[id];
    if (std::find(std::begin(endNames), std::end(endNames), text) != std::end(endNames)) {
      vocabulary.types[id] = static_cast<int32_t>(TokenType::Control);
      endsGeneration[id] = true;
    }
    switch (typeOf(id)) {
    case TokenType::Normal:
    case TokenType::Byte:
      bytes.push_back(bytesFromAlphabet(text));
      mergeable.push_back({bytes.back(), id});
      break;
    case TokenType::UserDefined:
      bytes.push_back(text);
      userDefined.push_back({bytes.back(), id});
      special.add(text, id);
      break;
    case TokenType::Control:
    case TokenType::Unknown:
      bytes.push_back(text);
      special.add(text, id);
      break;
    case TokenType::Unused:
      bytes.push_back(text);
      break;
    }
  }

  // Some vocabularies mark a token that merges produce as user-defined as well. Control
  // tokens are never among them: ordinary text must not become one.
  mergeable.insert(mergeable.end(), userDefined.begin(), userDefined.end());
  QRT_ASSIGN_OR_RETURN(encoder, BytePairEncoder::create(mergeable, vocabulary.merges,
                                                        preTokenizer.rules().ignoreMerges));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::create(Vocabulary vocabulary) {
  if (vocabulary.model != "gpt2")
    return absl::UnimplementedError(absl::StrCat("tokenizer ", qrt::quoted(vocabulary.model),
                                                 " is not supported; supported is 'gpt2' "
                                                 "(byte-level byte-pair encoding)"));
  QRT_RETURN_IF_ERROR(checkVocabulary(vocabulary));
  QRT_ASSIGN_OR_RETURN(PreTokenizer preTokenizer, PreTokenizer::create(vocabulary.preTokenizer));
  auto impl = std::make_unique<Impl>(std::move(vocabulary), std::move(preTokenizer));
  QRT_RETURN_IF_ERROR(impl->prepare());
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(impl)));
}

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;

/// Encodes text without special tokens: valid UTF-8 through the pre-tokenizer, each
/// invalid stretch as one piece.
absl::Status Tokenizer::Impl::encodeText(absl::string_view text, BytePairEncoder::Scratch &scratch,
                                         std::vector<int32_t> &ids, int64_t &dropped) const {
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
  for (absl::string_view piece : pieces)
    dropped += encoder.encode(piece, scratch, ids);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int32_t>> Tokenizer::encode(absl::string_view text,
                                                       const EncodeOptions &options) const {
  constexpr size_t limit = std::numeric_limits<int32_t>::max();
  if (text.size() > limit)
    return absl::InvalidArgumentError(absl::StrCat("the text has ", text.size(), " bytes; at most ",
                                                   limit, " can be encoded at once"));
  const Vocabulary &vocabulary = impl->vocabulary;
  BytePairEncoder::Scratch scratch;
  std::vector<int32_t> ids;
  int64_t dropped = 0;
  if (options.addBos && vocabulary.addBos)
    ids.push_back(vocabulary.bos);

  size_t at = 0;
  while (at < text.size()) {
    std::optional<SpecialTokens::Match> match;
    if (options.parseSpecial)
      match = impl->special.find(text, at);
    const size_t end = match ? match->begin : text.size();
    QRT_RETURN_IF_ERROR(impl->encodeText(text.substr(at, end - at), scratch, ids, dropped));
    if (match)
      ids.push_back(match->id);
    at = match ? match->end : end;
  }

  if (options.addEos && vocabulary.addEos)
    ids.push_back(vocabulary.eos);
  if (options.droppedBytes)
    *options.droppedBytes = dropped;
  return ids;
}

absl::string_view Tokenizer::tokenBytes(int32_t id, const DecodeOptions &options) const {
  if (!impl->contains(id) || (isSpecial(id) && !options.renderSpecial))
    return absl::string_view();
  return impl->bytes[id];
}

std::string Tokenizer::decode(absl::Span<const int32_t> ids, const DecodeOptions &options) const {
  std::string text;
  for (int32_t id : ids)
    absl::StrAppend(&text, tokenBytes(id, options));
  return text;
}

absl::Status Tokenizer::checkIds(absl::Span<const int32_t> ids) const {
  for (size_t i = 0; i < ids.size(); ++i)
    if (!impl->contains(ids[i]))
      return absl::InvalidArgumentError(absl::StrCat(
          "id ", ids[i], " at index ", i, " is not in the vocabulary; expected 0 to ", size() - 1));
  return absl::OkStatus();
}

bool Tokenizer::isEndOfGeneration(int32_t id) const {
  return impl->contains(id) && impl->endsGeneration[id];
}

bool Tokenizer::isSpecial(int32_t id) const {
  if (!impl->contains(id))
    return false;
  const TokenType type = impl->typeOf(id);
  return type == TokenType::Control || type == TokenType::Unknown || type == TokenType::Unused;
}

std::optional<int32_t> Tokenizer::findSpecial(absl::string_view name) const {
  return impl->special.lookup(name);
}

bool Tokenizer::roundTripsAllBytes() const {
  for (int byte = 0; byte < 256; ++byte)
    if (!impl->encoder.hasByte(static_cast<unsigned char>(byte)))
      return false;
  return true;
}

int32_t Tokenizer::size() const { return static_cast<int32_t>(impl->bytes.size()); }

const Vocabulary &Tokenizer::vocabulary() const { return impl->vocabulary; }
