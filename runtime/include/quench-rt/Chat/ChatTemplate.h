//===- ChatTemplate.h - how a model wants a conversation written -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Model files bring a template in the language Jinja. It is not run: it is recognised as
// one of four formats by the markers in it, and the format is written here as its
// publisher documents it.
//
//   ChatML   <|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n
//   Llama 3  <|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>…
//   Gemma    <start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\n
//   Mistral  [INST] Hi [/INST]
//
// A system prompt is a turn of its own in the first two. Gemma and Mistral have no such
// turn: there it stands before the first text of the user, with an empty line between, as
// their publishers' templates do it; newer Mistral templates have markers for it.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_CHAT_CHATTEMPLATE_H
#define QUENCH_RT_CHAT_CHATTEMPLATE_H

#include "quench-rt/Tokenizer/Tokenizer.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt {

enum class ChatFormat : uint8_t { ChatML, Llama3, Gemma, Mistral };

class ChatTemplate {
public:
  /// The format with that name: `chatml`, `llama3`, `gemma` or `mistral`.
  static absl::StatusOr<ChatTemplate> byName(absl::string_view name);

  /// The names, for options and messages.
  static const std::vector<std::string> &names();

  /// Recognises a template. Unimplemented if it is none of the formats, NotFound if it is
  /// empty; both say which there are.
  static absl::StatusOr<ChatTemplate> recognise(absl::string_view jinja);

  ChatFormat format() const { return kind; }

  /// The system prompt that the template has for conversations without one; may be empty.
  const std::string &defaultSystem() const { return system; }

  /// NotFound if the vocabulary lacks a token that structures the conversation; names it.
  absl::Status check(const Tokenizer &tokenizer) const;

  /// Whether a conversation starts with the beginning-of-text token.
  bool beginsWithBos(const Vocabulary &vocabulary) const;

  /// A piece of the conversation's text: markup, or text of somebody, in which names of
  /// special tokens mean nothing.
  struct Piece {
    std::string text;
    bool isMarkup;
  };

  /// From the start of the conversation to where the first answer begins. An empty system
  /// prompt is left out.
  std::vector<Piece> firstTurn(absl::string_view systemPrompt, absl::string_view user) const;

  /// From the end of an answer to where the next one begins.
  std::vector<Piece> nextTurn(const Vocabulary &vocabulary, absl::string_view user) const;

private:
  explicit ChatTemplate(ChatFormat kind) : kind(kind) {}
  void appendUser(absl::string_view before, absl::string_view user,
                  std::vector<Piece> &pieces) const;

  ChatFormat kind;
  std::string system;
  /// Mistral's templates differ in these.
  std::string instBegin = "[INST] ", instEnd = " [/INST]";
  std::string systemBegin, systemEnd;
};

} // namespace qrt

#endif // QUENCH_RT_CHAT_CHATTEMPLATE_H
