//===- Tokenizer.cpp - text to token ids and back --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/Tokenizer.h"

#include "ByteAlphabet.h"
#include "ByteLevelModel.h"
#include "SentencePieceModel.h"
#include "SpecialTokens.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

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

/// Names with which they begin one. Files that call them user-defined would have them
/// recognised in text from outside.
static constexpr absl::string_view beginNames[] = {
    "<|im_start|>",      "<start_of_turn>", "<|start_header_id|>",
    "<|end_header_id|>", "[INST]",          "[/INST]",
    "<|system|>",        "<|user|>",        "<|assistant|>"};

template <size_t n>
static bool isOneOf(const absl::string_view (&names)[n], absl::string_view text) {
  return std::find(std::begin(names), std::end(names), text) != std::end(names);
}

struct Tokenizer::Impl {
  explicit Impl(Vocabulary vocabulary) : vocabulary(std::move(vocabulary)) {}

  TokenType typeOf(int32_t id) const { return static_cast<TokenType>(vocabulary.types[id]); }
  bool contains(int32_t id) const { return id >= 0 && static_cast<size_t>(id) < bytes.size(); }

  absl::Status prepare(bool isSentencePiece);

  Vocabulary vocabulary;
  /// What each token stands for.
  std::vector<std::string> bytes;
  std::vector<bool> endsGeneration;
  std::unique_ptr<TextModel> model; ///< borrows from the vocabulary and `bytes`
  /// Names at which a text is cut before the model sees it, and those of user-defined
  /// tokens, which are among them unless the model finds these itself.
  SpecialTokens special, userDefined;
};

absl::Status Tokenizer::Impl::prepare(bool isSentencePiece) {
  const auto size = static_cast<int32_t>(vocabulary.tokens.size());
  vocabulary.types.resize(size, static_cast<int32_t>(TokenType::Normal));
  endsGeneration.resize(size);
  if (vocabulary.eos >= 0)
    endsGeneration[vocabulary.eos] = true;
  for (int32_t id : vocabulary.eog)
    endsGeneration[id] = true;

  bytes.reserve(size);
  for (int32_t id = 0; id < size; ++id) {
    const std::string &text = vocabulary.tokens[id];
    if (isOneOf(endNames, text))
      endsGeneration[id] = true;
    if (isOneOf(endNames, text) ||
        (typeOf(id) == TokenType::UserDefined && isOneOf(beginNames, text)))
      vocabulary.types[id] = static_cast<int32_t>(TokenType::Control);
    const TokenType type = typeOf(id);
    const bool isAlphabet = type == TokenType::Normal || type == TokenType::Byte;
    bytes.push_back(isSentencePiece ? SentencePieceModel::bytesOf(text, type)
                    : isAlphabet    ? bytesFromAlphabet(text)
                                    : text);
    const bool isUserDefined = type == TokenType::UserDefined;
    if (isUserDefined)
      userDefined.add(text, id);
    if (type == TokenType::Control || type == TokenType::Unknown ||
        (isUserDefined && !isSentencePiece))
      special.add(text, id);
  }
  QRT_ASSIGN_OR_RETURN(model, isSentencePiece ? SentencePieceModel::create(vocabulary)
                                              : ByteLevelModel::create(vocabulary, bytes));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::create(Vocabulary vocabulary) {
  const bool isSentencePiece = vocabulary.model == "llama";
  if (!isSentencePiece && vocabulary.model != "gpt2")
    return absl::UnimplementedError(
        absl::StrCat("tokenizer ", qrt::quoted(vocabulary.model),
                     " is not supported; supported are 'gpt2' (byte-level byte-pair encoding) and "
                     "'llama' (SentencePiece's byte-pair encoding)"));
  QRT_RETURN_IF_ERROR(checkVocabulary(vocabulary));
  if (isSentencePiece)
    QRT_RETURN_IF_ERROR(SentencePieceModel::check(vocabulary));
  auto impl = std::make_unique<Impl>(std::move(vocabulary));
  QRT_RETURN_IF_ERROR(impl->prepare(isSentencePiece));
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(impl)));
}

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;

absl::StatusOr<std::vector<int32_t>> Tokenizer::encode(absl::string_view text,
                                                       const EncodeOptions &options) const {
  const TextPart whole = {text, options.parseSpecial};
  return encodeParts({&whole, 1}, options);
}

absl::StatusOr<std::vector<int32_t>> Tokenizer::encodeParts(absl::Span<const TextPart> parts,
                                                            const EncodeOptions &options) const {
  constexpr size_t limit = std::numeric_limits<int32_t>::max();
  size_t length = 0;
  for (const TextPart &part : parts)
    if (length += part.text.size(); length > limit)
      return absl::InvalidArgumentError(absl::StrCat("the text has ", length, " bytes; at most ",
                                                     limit, " can be encoded at once"));
  const Vocabulary &vocabulary = impl->vocabulary;
  std::vector<int32_t> ids;
  int64_t dropped = 0;
  if (options.addBos && vocabulary.addBos)
    ids.push_back(vocabulary.bos);

  std::string stretch; // what lies between two special tokens
  const auto encodeStretch = [&] {
    absl::StatusOr<int64_t> left = impl->model->encode(stretch, ids);
    dropped += left.ok() ? *left : 0;
    stretch.clear();
    return left.status();
  };
  for (const TextPart &part : parts) {
    const SpecialTokens *names = nullptr;
    if (part.parseSpecial)
      names = &impl->special;
    else if (!impl->model->findsUserDefined())
      names = &impl->userDefined;
    size_t at = 0;
    while (at < part.text.size()) {
      std::optional<SpecialTokens::Match> match;
      if (names)
        match = names->find(part.text, at);
      const size_t end = match ? match->begin : part.text.size();
      absl::StrAppend(&stretch, part.text.substr(at, end - at));
      if (match) {
        QRT_RETURN_IF_ERROR(encodeStretch());
        ids.push_back(match->id);
      }
      at = match ? match->end : end;
    }
  }
  QRT_RETURN_IF_ERROR(encodeStretch());

  if (options.addEos && vocabulary.addEos)
    ids.push_back(vocabulary.eos);
  if (options.droppedBytes)
    *options.droppedBytes = dropped;
  return ids;
}

absl::string_view Tokenizer::decodeNext(int32_t id, const DecodeOptions &options,
                                        bool &atStart) const {
  if (!impl->contains(id))
    return absl::string_view();
  if (isSpecial(id)) {
    if (!options.renderSpecial)
      return absl::string_view();
    atStart = true; // Here encoding starts anew.
    return impl->bytes[id];
  }
  absl::string_view text = impl->bytes[id];
  if (text.empty() || !atStart)
    return text;
  const TextModel::LeadingSpaces drops = impl->model->dropsLeadingSpaces();
  if (drops != TextModel::LeadingSpaces::None && text[0] == ' ')
    text.remove_prefix(1);
  atStart = text.empty() && drops == TextModel::LeadingSpaces::All;
  return text;
}

std::string Tokenizer::decode(absl::Span<const int32_t> ids, const DecodeOptions &options) const {
  std::string text;
  bool atStart = !options.continues;
  for (int32_t id : ids)
    absl::StrAppend(&text, decodeNext(id, options, atStart));
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
  const std::optional<int32_t> special = impl->special.lookup(name);
  return special ? special : impl->userDefined.lookup(name);
}

bool Tokenizer::roundTripsAllBytes() const { return impl->model->keepsAllBytes(); }

int32_t Tokenizer::size() const { return static_cast<int32_t>(impl->bytes.size()); }

const Vocabulary &Tokenizer::vocabulary() const { return impl->vocabulary; }
