//===- ChatSession.cpp - a conversation with a model ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/ChatSession.h"

#include "quench-rt/Support/Errors.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace qrt;

absl::StatusOr<ChatTemplate> qrt::chooseChatTemplate(const Tokenizer &tokenizer,
                                                     const std::string &name,
                                                     const std::string &model) {
  absl::StatusOr<ChatTemplate> chosen =
      name.empty() ? ChatTemplate::recognise(tokenizer.vocabulary().chatTemplate)
                   : ChatTemplate::byName(name);
  if (!chosen.ok())
    return withContext(chosen.status(), model);
  QRT_RETURN_IF_ERROR(withContext(chosen->check(tokenizer), model));
  return chosen;
}

ChatSession::ChatSession(TextSession &session, const ChatTemplate &chatTemplate,
                         const std::string &system)
    : session(session), conversation(session.tokenizer(), chatTemplate, system),
      joinsText(chatTemplate.format() != ChatFormat::Mistral) {}

absl::StatusOr<TextGeneration *> ChatSession::ask(absl::string_view user, TextOptions options) {
  QRT_ASSIGN_OR_RETURN(const std::vector<int32_t> prompt, conversation.ask(user));
  const auto length = static_cast<int64_t>(prompt.size());
  const int64_t room = session.contextLength() - length;
  if (room < 1)
    return absl::InvalidArgumentError(absl::StrCat(
        "the conversation with this question has ", length, " tokens, too many for the context of ",
        session.contextLength(), "; expected a shorter question or a new conversation (/clear)"));
  if (options.maxTokens && *options.maxTokens > room)
    options.maxTokens = absl::nullopt; // it ends where the context does
  // Where the end of an answer is no line end, its first word brings a space of its own.
  options.continues = joinsText;
  return session.begin(prompt, options);
}

void ChatSession::finishAnswer(const TextGeneration &answer) {
  const Generation &result = answer.result();
  if (!result.tokens.empty())
    conversation.answer(result.promptTokens, result.tokens);
}
