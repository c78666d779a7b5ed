//===- Tokenizer.h - text to token ids and back ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Byte-pair encoding (Sennrich et al., 2016) of two kinds: over bytes as in GPT-2
//
//   text ── special tokens ──┬─> id
//                            └─> stretch ── pre-tokenizer ──> piece ── merges ──> ids
//
// and over characters as in SentencePiece (Kudo and Richardson, 2018)
//
//                            └─> stretch ── spaces to U+2581 ── scores ──> ids, bytes
//
//   absl::StatusOr<Vocabulary> vocabulary = vocabularyFromGguf(file);
//   absl::StatusOr<std::unique_ptr<Tokenizer>> tokenizer =
//       Tokenizer::create(*std::move(vocabulary));
//   absl::StatusOr<std::vector<int32_t>> ids = (*tokenizer)->encode("Hello");
//   std::string text = (*tokenizer)->decode(*ids); // "Hello"
//
// A Tokenizer is immutable, so threads may share one.
//
// Any bytes can be encoded. decode(encode(text)) gives back exactly `text`, bytes that are
// no UTF-8 included, if roundTripsAllBytes(). Of the first kind that takes a token for
// every byte. Some vocabularies have not: SmolLM2's lacks 21 bytes that its training text
// never contained. Such a byte is left out before merging, which is what the tokenizer
// that the model was trained with does; EncodeOptions::droppedBytes says how many were.
// The second kind writes what has no token as bytes or, without tokens for these, as one
// unknown token; and U+2581 comes back as a space.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_TOKENIZER_TOKENIZER_H
#define QUENCH_RT_TOKENIZER_TOKENIZER_H

#include "quench-rt/Tokenizer/Vocabulary.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace qrt {

struct EncodeOptions {
  /// Puts the beginning-of-text token first if the vocabulary asks for one. A text
  /// that already starts with it gets a second one.
  bool addBos = true;
  /// Puts the end-of-text token last if the vocabulary asks for one.
  bool addEos = true;
  /// Recognises the names of special tokens (control and unknown) in the text: from the
  /// left, the longest that matches. Switch it off for text from outside that must not be
  /// able to end a turn: then all of it is ordinary text. User-defined tokens are ordinary
  /// text, and always recognised.
  bool parseSpecial = true;
  /// If not null, receives the number of bytes that had no token and were left out.
  int64_t *droppedBytes = nullptr;
};

/// A part of a text, for texts of which only some parts may hold special tokens.
struct TextPart {
  absl::string_view text;
  bool parseSpecial = false; ///< as in EncodeOptions
};

struct DecodeOptions {
  /// Writes control, unknown and unused tokens by name; without it they are nothing.
  /// User-defined tokens are text and always written.
  bool renderSpecial = false;
  /// The ids go on from an earlier text, so that a space before the first one is part of
  /// it. Otherwise the space that encode() puts before a text is taken off; with
  /// renderSpecial also after each special token, where encode() starts anew.
  bool continues = false;
};

class Tokenizer {
public:
  /// Checks the vocabulary and prepares it. Errors name the token, merge or setting
  /// at fault, and for a tokenizer or pre-tokenizer that is not supported (status
  /// Unimplemented) what is.
  static absl::StatusOr<std::unique_ptr<Tokenizer>> create(Vocabulary vocabulary);

  ~Tokenizer();

  /// The ids of `text`, which is less than 2 GiB. Takes time O(n log n) in its length in
  /// bytes, however long its words are, and memory proportional to it.
  absl::StatusOr<std::vector<int32_t>> encode(absl::string_view text,
                                              const EncodeOptions &options = {}) const;

  /// The ids of the parts joined to one text: merges go across their borders, names of
  /// special tokens do not. `options.parseSpecial` is not used.
  absl::StatusOr<std::vector<int32_t>> encodeParts(absl::Span<const TextPart> parts,
                                                   const EncodeOptions &options = {}) const;

  /// The bytes that the ids stand for. They need not be valid UTF-8: a token may end
  /// inside a character. An id outside of the vocabulary stands for nothing;
  /// checkIds() finds such.
  std::string decode(absl::Span<const int32_t> ids, const DecodeOptions &options = {}) const;

  /// The bytes that decode() writes for one id; valid as long as the tokenizer. `atStart`,
  /// at first the opposite of options.continues, goes from call to call: a space that
  /// encode() put there has to be taken off.
  absl::string_view decodeNext(int32_t id, const DecodeOptions &options, bool &atStart) const;

  /// Fails if an id is outside of the vocabulary, naming the id and its index.
  absl::Status checkIds(absl::Span<const int32_t> ids) const;

  /// True for the ids after which a model has nothing more to say: `eos`, those that
  /// the vocabulary lists in `eog`, and those with a name that model families use
  /// for an end of turn, message or text, such as `<|im_end|>` or `<|eot_id|>`.
  bool isEndOfGeneration(int32_t id) const;

  /// True for tokens that decode() leaves out unless renderSpecial is set.
  bool isSpecial(int32_t id) const;

  /// The special or user-defined token with this name, such as `<|im_start|>`.
  std::optional<int32_t> findSpecial(absl::string_view name) const;

  /// True if any bytes survive a round trip (but for U+2581, see above).
  bool roundTripsAllBytes() const;

  /// The number of tokens; ids are 0 to size() - 1.
  int32_t size() const;

  /// What the tokenizer was made from. Tokens that end a turn or a text by their name have
  /// the type Control here, whatever the file said; so have user-defined ones whose name
  /// begins a turn.
  const Vocabulary &vocabulary() const;

private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace qrt

#endif // QUENCH_RT_TOKENIZER_TOKENIZER_H
