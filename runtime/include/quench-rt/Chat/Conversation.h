//===- Conversation.h - the tokens of a conversation -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_CHAT_CONVERSATION_H
#define QUENCH_RT_CHAT_CONVERSATION_H

#include "quench-rt/Chat/ChatTemplate.h"
#include "quench-rt/Tokenizer/Tokenizer.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt {

/// Grows at its end only, by the tokens that a model saw and those that it generated, so
/// that a cache which holds the beginning stays valid.
class Conversation {
public:
  /// Borrows the tokenizer, whose vocabulary has passed ChatTemplate::check.
  Conversation(const Tokenizer &tokenizer, ChatTemplate chatTemplate, std::string systemPrompt)
      : tokenizer(&tokenizer), chatTemplate(std::move(chatTemplate)),
        systemPrompt(std::move(systemPrompt)) {}

  /// All tokens up to where the answer to `user` begins. Nothing changes before answer().
  absl::StatusOr<std::vector<int32_t>> ask(absl::string_view user) const;

  /// The model was given `prompt` and generated `answer`. A token that ends a generation
  /// is left out at its end: the template says how an answer ends.
  void answer(absl::Span<const int32_t> prompt, absl::Span<const int32_t> answer);

  /// Starts anew, with the same system prompt.
  void clear() { tokens.clear(); }

  /// What has been said so far.
  absl::Span<const int32_t> history() const { return tokens; }

private:
  const Tokenizer *tokenizer;
  ChatTemplate chatTemplate;
  std::string systemPrompt;
  std::vector<int32_t> tokens;
};

} // namespace qrt

#endif // QUENCH_RT_CHAT_CONVERSATION_H
