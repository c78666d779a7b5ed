//===- Generator.cpp - a generation, step by step -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Generator.h"

#include "Rounds.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Stopwatch.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

using namespace qrt;

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
  case StopReason::Cancelled:
    return "cancelled";
  }
  return "";
}

static absl::Status check(const Session &session, absl::Span<const int32_t> prompt,
                          const GenerateOptions &options) {
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
  if (options.draft.source && !session.maxDraft())
    return absl::FailedPreconditionError(
        "the program was compiled without a draft source, so it cannot speculate");
  if (options.cached < 0 || options.cached >= std::max<int64_t>(length, 1) ||
      options.cached > session.length())
    return absl::InvalidArgumentError(
        absl::StrCat("of a prompt of ", length, " tokens ", options.cached,
                     " are said to be in the cache, which holds ", session.length(),
                     ": expected fewer than in the prompt and no more than in the cache"));
  if (options.draft.acceptance == AcceptanceRule::Rejection && options.draft.source &&
      !options.draft.source->stochastic())
    return absl::InvalidArgumentError(
        "rejection sampling needs candidates that were drawn from a distribution, expected a draft "
        "model as their source");
  if (options.draft.tokens < 0)
    return absl::InvalidArgumentError(
        absl::StrCat("a draft of ", options.draft.tokens, " tokens: expected 0 or more"));
  return options.sampling.check(session.vocabularySize());
}

Generator::Generator(Session &session, absl::Span<const int32_t> prompt, GenerateOptions given)
    : session(session), options(std::move(given)), stop(options.stops) {
  const auto length = static_cast<int64_t>(prompt.size());
  most = options.maxTokens ? *options.maxTokens : session.contextLength() - length;
  mostDraft = options.draft.source ? std::min(options.draft.tokens, *session.maxDraft()) : 0;
  ended = most == 0;
  generation.promptTokens.assign(prompt.begin(), prompt.end());
  generation.stopReason = options.maxTokens ? StopReason::Length : StopReason::Context;
}

Generator::~Generator() = default;

absl::StatusOr<std::unique_ptr<Generator>>
Generator::begin(Session &session, absl::Span<const int32_t> prompt, GenerateOptions options) {
  QRT_RETURN_IF_ERROR(check(session, prompt, options));
  QRT_RETURN_IF_ERROR(session.truncate(options.cached));
  return std::unique_ptr<Generator>(new Generator(session, prompt, std::move(options)));
}

/// Appends a part of the prompt, so that between parts it can be asked whether to go on.
absl::Status Generator::prefill() {
  const absl::Span<const int32_t> prompt = generation.promptTokens;
  const absl::Span<const int32_t> left =
      prompt.subspan(static_cast<size_t>(session.length()),
                     prompt.size() - 1 - static_cast<size_t>(session.length()));
  QRT_RETURN_IF_ERROR(session.prefill(left.subspan(0, static_cast<size_t>(session.maxRows()))));
  if (static_cast<size_t>(session.length()) + 1 < prompt.size())
    return absl::OkStatus();
  if (options.draft.source)
    options.draft.source->begin(prompt);
  rounds = std::make_unique<Rounds>(session, options);
  rounds->begin(prompt);
  return absl::OkStatus();
}

absl::Status Generator::round() {
  std::vector<int32_t> &tokens = generation.tokens;
  const int32_t pending = tokens.empty() ? generation.promptTokens.back() : tokens.back();
  const int64_t left = most - static_cast<int64_t>(tokens.size());
  // A round emits one token more than it accepts. With this limit it cannot go past the
  // last wanted one, nor past the context, which `most` respects.
  const int64_t limit = std::min(mostDraft, left - 1);
  QRT_ASSIGN_OR_RETURN(Emitted emitted, rounds->run(pending, limit));
  ++generation.rounds;

  // One at a time, so that it cannot matter how many of them a round brought.
  size_t kept = 0;
  while (!ended && kept < emitted.tokens.size())
    ended = accept(emitted.tokens[kept++]);
  generation.drafted += emitted.drafted;
  generation.accepted += std::min(emitted.accepted, static_cast<int64_t>(kept));
  // What follows the end was never decided by plain decoding.
  if (kept < emitted.tokens.size())
    QRT_RETURN_IF_ERROR(
        session.truncate(static_cast<int64_t>(generation.promptTokens.size() + tokens.size()) - 1));
  if (options.draft.source)
    options.draft.source->append(absl::MakeConstSpan(tokens).last(kept));
  ended |= static_cast<int64_t>(tokens.size()) >= most;
  return absl::OkStatus();
}

absl::StatusOr<bool> Generator::step() {
  if (ended)
    return false;
  const Stopwatch watch;
  double &seconds = rounds ? generation.decodeSeconds : generation.prefillSeconds;
  absl::Cleanup count = [&] { seconds += watch.milliseconds() / 1000; };
  if (options.cancelled && options.cancelled()) {
    generation.stopReason = StopReason::Cancelled;
    ended = true;
  } else if (absl::Status status = rounds ? round() : prefill(); !status.ok()) {
    ended = true;
    return status;
  }
  if (ended)
    finishText();
  return !ended;
}

/// True if the generation ends with this token; the reason is in the result then.
bool Generator::accept(SampledToken &token) {
  generation.tokens.push_back(token.id);
  generation.logits.push_back(token.logit);
  if (options.sampling.logprobs)
    generation.logprobs.push_back(std::move(token.logprobs));
  if (std::find(options.endTokens.begin(), options.endTokens.end(), token.id) !=
      options.endTokens.end()) {
    generation.stopReason = StopReason::End;
    return true;
  }
  if (options.text)
    emit(stop.append(options.text->append(token.id)));
  if (!stop.stopped())
    return false;
  generation.stopReason = StopReason::Stop;
  return true;
}

void Generator::emit(const std::string &piece) {
  generation.text += piece;
  if (options.onText && !piece.empty())
    options.onText(piece);
}

/// Brings out what was held back. A stop string may be completed even here, by the bytes of a
/// character that never ended; that changes the text only.
void Generator::finishText() {
  if (!options.text)
    return;
  emit(stop.append(options.text->finish()));
  emit(stop.finish());
}
