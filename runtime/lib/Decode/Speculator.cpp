//===- Speculator.cpp - the loop that generates text ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Speculator.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <chrono>

using namespace qrt;

namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Takes emitted tokens one at a time and notices the end, so that it cannot matter how
/// many of them a round brought.
class Output {
public:
  Output(const GenerateOptions &options, Generation &result)
      : options(options), result(result), stop(options.stops) {}

  /// True if the generation ends with this token; the reason is in the result then.
  bool accept(int32_t id, float logit) {
    result.tokens.push_back(id);
    result.winningLogits.push_back(logit);
    if (std::find(options.endTokens.begin(), options.endTokens.end(), id) !=
        options.endTokens.end()) {
      result.stopReason = StopReason::End;
      return true;
    }
    if (options.text)
      emit(stop.append(options.text->append(id)));
    if (!stop.stopped())
      return false;
    result.stopReason = StopReason::Stop;
    return true;
  }

  /// Brings out what was held back. A stop string may be completed even here, by the
  /// bytes of a character that never ended; that changes the text only.
  void finish() {
    if (!options.text)
      return;
    emit(stop.append(options.text->finish()));
    emit(stop.finish());
  }

private:
  void emit(const std::string &piece) {
    result.text += piece;
    if (options.onText && !piece.empty())
      options.onText(piece);
  }

  const GenerateOptions &options;
  Generation &result;
  StopMatcher stop;
};

} // namespace

absl::string_view qrt::stopReasonName(StopReason reason) {
  switch (reason) {
  case StopReason::End:
    return "end";
  case StopReason::Stop:
    return "stop";
  case StopReason::Length:
    return "length";
  case StopReason::Context:
    return "context";
  }
  return "";
}

absl::Status Speculator::check(absl::Span<const int32_t> prompt,
                               const GenerateOptions &options) const {
  const auto length = static_cast<int64_t>(prompt.size());
  const int64_t context = session.contextLength();
  if (prompt.empty())
    return absl::InvalidArgumentError("the prompt has no tokens: expected at least 1");
  if (length > context)
    return absl::InvalidArgumentError(
        absl::StrCat("the prompt has ", length, " tokens, but the context only ", context));
  for (size_t i = 0; i < prompt.size(); ++i)
    if (prompt[i] < 0 || prompt[i] >= session.vocabularySize())
      return absl::InvalidArgumentError(absl::StrCat("token ", prompt[i], " at position ", i,
                                                     ": expected 0 to ",
                                                     session.vocabularySize() - 1));
  if (options.maxTokens && *options.maxTokens < 0)
    return absl::InvalidArgumentError(
        absl::StrCat("cannot generate ", *options.maxTokens, " tokens: expected 0 or more"));
  if (options.maxTokens && *options.maxTokens > context - length)
    return absl::InvalidArgumentError(
        absl::StrCat("a prompt of ", length, " tokens and ", *options.maxTokens,
                     " new ones exceed the context of ", context, ": at most ", context - length,
                     " can be generated"));
  for (const std::string &stop : options.stops)
    if (stop.empty())
      return absl::InvalidArgumentError("a stop string is empty: expected at least 1 character");
  if (!options.stops.empty() && !options.text)
    return absl::InvalidArgumentError("stop strings need a tokenizer");
  if (options.draft && !session.maxDraft())
    return absl::FailedPreconditionError(
        "the program was compiled without a draft source, so it cannot speculate");
  if (options.draftTokens < 0)
    return absl::InvalidArgumentError(
        absl::StrCat("a draft of ", options.draftTokens, " tokens: expected 0 or more"));
  return absl::OkStatus();
}

absl::StatusOr<Generation> Speculator::generate(absl::Span<const int32_t> prompt,
                                                const GenerateOptions &options) {
  QRT_RETURN_IF_ERROR(check(prompt, options));
  const auto promptLength = static_cast<int64_t>(prompt.size());
  const int64_t most =
      options.maxTokens ? *options.maxTokens : session.contextLength() - promptLength;
  const int64_t mostDraft = options.draft ? std::min(options.draftTokens, *session.maxDraft()) : 0;

  Generation result;
  result.promptTokens.assign(prompt.begin(), prompt.end());
  result.stopReason = options.maxTokens ? StopReason::Length : StopReason::Context;
  QRT_RETURN_IF_ERROR(session.truncate(0));
  if (most == 0)
    return result;

  auto start = std::chrono::steady_clock::now();
  QRT_RETURN_IF_ERROR(session.prefill(prompt.subspan(0, prompt.size() - 1)));
  if (options.draft)
    options.draft->begin(prompt);
  result.prefillSeconds = secondsSince(start);

  start = std::chrono::steady_clock::now();
  Output output(options, result);
  int32_t pending = prompt.back();
  bool ended = false;
  while (!ended && static_cast<int64_t>(result.tokens.size()) < most) {
    const int64_t left = most - static_cast<int64_t>(result.tokens.size());
    Session::Step emitted;
    int64_t accepted = 0;
    if (options.draft) {
      // A round emits one token more than it accepts. With this limit it cannot go past
      // the last wanted one, nor past the context, which `most` respects.
      QRT_ASSIGN_OR_RETURN(Session::Round round,
                           session.round(pending, std::min(mostDraft, left - 1), *options.draft));
      emitted = round.emitted;
      accepted = round.accepted;
      result.drafted += round.drafted;
    } else {
      QRT_ASSIGN_OR_RETURN(emitted, session.greedy({&pending, 1}));
    }
    ++result.rounds;

    int64_t kept = 0;
    while (!ended && kept < static_cast<int64_t>(emitted.ids.size())) {
      const auto i = static_cast<size_t>(kept++);
      ended = output.accept(emitted.ids[i], emitted.logits[i]);
    }
    result.accepted += std::min(accepted, kept);
    // What follows the end was never decided by plain decoding.
    if (kept < static_cast<int64_t>(emitted.ids.size()))
      QRT_RETURN_IF_ERROR(
          session.truncate(promptLength + static_cast<int64_t>(result.tokens.size()) - 1));
    if (options.draft)
      options.draft->append(emitted.ids.subspan(0, static_cast<size_t>(kept)));
    pending = result.tokens.back();
  }
  output.finish();
  result.decodeSeconds = secondsSince(start);
  return result;
}
