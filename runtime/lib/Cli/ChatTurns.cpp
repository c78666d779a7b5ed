//===- ChatTurns.cpp - the turns of a conversation, and their report -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ChatTurns.h"

#include "Errors.h"
#include "GenerateReport.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <string>

using namespace qrt;
using namespace qrt::cli;

absl::Status ChatTurns::turn(absl::string_view user, const std::function<bool()> &cancelled) {
  TextOptions answer = options;
  answer.cancelled = cancelled;
  QRT_ASSIGN_OR_RETURN(TextGeneration * generation, chat.ask(user, std::move(answer)));
  absl::StatusOr<bool> more = true;
  while (more.ok() && *more)
    more = generation->step();
  if (options.onText)
    options.onText("\n");
  QRT_RETURN_IF_ERROR(more.status());
  chat.finishAnswer(*generation);

  const Generation &result = generation->result();
  if (result.stopReason == StopReason::Context)
    printNote(absl::StrCat("the context of ", session.contextLength(),
                           " tokens is full: the answer ends here, and /clear has to come before "
                           "the next question"));
  turns.push_back({{"user", std::string(user)},
                   {"text", result.text},
                   {"token_ids", result.tokens},
                   {"prompt_tokens", result.promptTokens.size()},
                   {"cached_tokens", generation->cached()},
                   {"drafted", result.drafted},
                   {"accepted", result.accepted},
                   {"stop_reason", std::string(stopReasonName(result.stopReason))}});
  if (options.sampling.logprobs)
    turns.back()["logprobs"] = logprobsAsJson(result);
  return absl::OkStatus();
}

Json ChatTurns::asJson() const {
  Json object = {{"turns", turns}};
  if (options.sampling.temperature > 0)
    object["seed"] = options.sampling.seed;
  return object;
}
