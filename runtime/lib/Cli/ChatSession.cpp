//===- ChatSession.cpp - a conversation with a model ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ChatSession.h"

#include "Errors.h"
#include "GenerateReport.h"
#include "ModelPath.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace qrt;
using namespace qrt::cli;

ChatSession::ChatSession(Session &session, const Tokenizer &tokenizer,
                         const ChatTemplate &chatTemplate, const std::string &system,
                         const ChatOptions &options)
    : session(session), tokenizer(tokenizer), options(options),
      conversation(tokenizer, chatTemplate, system),
      joinsText(chatTemplate.format() != ChatFormat::Mistral), endTokens(endTokensOf(tokenizer)) {}

absl::Status ChatSession::turn(absl::string_view user, const std::function<bool()> &cancelled) {
  QRT_ASSIGN_OR_RETURN(const std::vector<int32_t> prompt, conversation.ask(user));
  const auto length = static_cast<int64_t>(prompt.size());
  const int64_t room = session.contextLength() - length;
  if (room < 1)
    return absl::InvalidArgumentError(absl::StrCat(
        "the conversation with this question has ", length, " tokens, too many for the context of ",
        session.contextLength(), "; expected a shorter question, or /clear before it"));

  // Where the end of an answer is no line end, its first word brings a space of its own.
  DecodeOptions decoding;
  decoding.continues = joinsText;
  TokenizerStream text(tokenizer, decoding);
  GenerateOptions generate;
  if (options.maxTokens > 0)
    generate.maxTokens = std::min(options.maxTokens, room);
  generate.endTokens = endTokens;
  generate.text = &text;
  generate.onText = options.show;
  generate.cancelled = cancelled;
  generate.sampling = options.sampling;
  generate.draft = options.draft;
  const auto same = std::mismatch(inCache.begin(), inCache.end(), prompt.begin(), prompt.end() - 1);
  generate.cached = same.first - inCache.begin();

  absl::StatusOr<Generation> result = Speculator(session).generate(prompt, generate);
  if (options.show)
    options.show("\n");
  if (!result.ok()) {
    inCache.clear();
    return result.status();
  }
  inCache = prompt;
  inCache.insert(inCache.end(), result->tokens.begin(), result->tokens.end());
  inCache.resize(static_cast<size_t>(session.length()));
  // A question whose answer was stopped before its first token counts as not asked.
  if (!result->tokens.empty())
    conversation.answer(prompt, result->tokens);
  if (result->stopReason == StopReason::Context ||
      (result->stopReason == StopReason::Length && *generate.maxTokens < options.maxTokens))
    printNote(absl::StrCat("the context of ", session.contextLength(),
                           " tokens is full: the answer ends here, and /clear has to come before "
                           "the next question"));
  turns.push_back({{"user", std::string(user)},
                   {"text", result->text},
                   {"token_ids", result->tokens},
                   {"prompt_tokens", length},
                   {"cached_tokens", generate.cached},
                   {"drafted", result->drafted},
                   {"accepted", result->accepted},
                   {"stop_reason", std::string(stopReasonName(result->stopReason))}});
  if (options.sampling.logprobs)
    turns.back()["logprobs"] = logprobsAsJson(*result);
  return absl::OkStatus();
}

Json ChatSession::asJson() const {
  Json object = {{"turns", turns}};
  if (options.sampling.temperature > 0)
    object["seed"] = options.sampling.seed;
  return object;
}
