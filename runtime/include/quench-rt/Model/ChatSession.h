//===- ChatSession.h - a conversation with a model ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_CHATSESSION_H
#define QUENCH_RT_MODEL_CHATSESSION_H

#include "quench-rt/Chat/Conversation.h"
#include "quench-rt/Model/TextSession.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <string>

namespace qrt {

/// The template of that name, or if it is empty the one that the model brings, for a
/// vocabulary that has what it needs. `model` is for messages.
absl::StatusOr<ChatTemplate> chooseChatTemplate(const Tokenizer &tokenizer, const std::string &name,
                                                const std::string &model);

/// Turns of question and answer. The cache keeps what it has: only new tokens are
/// processed.
class ChatSession {
public:
  /// Borrows the session.
  ChatSession(TextSession &session, const ChatTemplate &chatTemplate, const std::string &system);

  /// Starts the answer to a question. Without `maxTokens`, or with more than fit, the answer
  /// may fill the context. Fails, and changes nothing, if the conversation does not fit.
  absl::StatusOr<TextGeneration *> ask(absl::string_view user, TextOptions options);

  /// To be called when the answer is over, or is to be: it is kept as far as it came.
  /// A question whose answer was stopped before its first token counts as not asked.
  void finishAnswer(const TextGeneration &answer);

  void clear() { conversation.clear(); }

private:
  TextSession &session;
  Conversation conversation;
  bool joinsText; ///< whether an answer starts after white space of the template
};

} // namespace qrt

#endif // QUENCH_RT_MODEL_CHATSESSION_H
