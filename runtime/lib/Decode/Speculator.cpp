//===- Speculator.cpp - the loop that generates text ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Speculator.h"

#include "Round.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <chrono>
#include <utility>

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
  bool accept(SampledToken &token) {
    result.tokens.push_back(token.id);
    result.logits.push_back(token.logit);
    if (options.sampling.logprobs)
      result.logprobs.push_back(std::move(token.logprobs));
    if (std::find(options.endTokens.begin(), options.endTokens.end(), token.id) !=
        options.endTokens.end()) {
      result.stopReason = StopReason::End;
      return true;
    }
    if (options.text)
      emit(stop.append(options.text->append(token.id)));
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

/// Knows which kind of round the options ask for.
class Rounds {
public:
  Rounds(Session &session, const GenerateOptions &options)
      : session(session), draft(options.draft.source) {
    if (options.sampling.isPlainGreedy())
      return;
    sampler.emplace(options.sampling);
    if (draft && options.draft.acceptance == AcceptanceRule::Rejection &&
        options.sampling.temperature > 0)
      drafting.emplace(options.sampling);
  }

  void begin(absl::Span<const int32_t> prompt) {
    if (sampler)
      sampler->begin(prompt);
  }

  absl::StatusOr<Emitted> run(int32_t pending, int64_t limit) {
    if (!sampler)
      return fusedRound(session, pending, limit, draft);
    if (!drafting)
      return sampledRound(session, pending, limit, draft, *sampler);
    return rejectionRound(session, pending, limit, *draft->stochastic(), *sampler, *drafting);
  }

private:
  Session &session;
  DraftSource *draft;
  absl::optional<Sampler> sampler;
  absl::optional<Sampler> drafting; ///< for candidates that are drawn
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
  case StopReason::Cancelled:
    return "cancelled";
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

static bool isCancelled(const GenerateOptions &options) {
  return options.cancelled && options.cancelled();
}

/// Appends the tokens in parts, to ask between them whether to go on.
absl::Status Speculator::prefill(absl::Span<const int32_t> tokens, const GenerateOptions &options) {
  const auto most = static_cast<size_t>(session.maxRows());
  for (size_t done = 0; done < tokens.size() && !isCancelled(options); done += most)
    QRT_RETURN_IF_ERROR(session.prefill(tokens.subspan(done, most)));
  return absl::OkStatus();
}

absl::StatusOr<Generation> Speculator::generate(absl::Span<const int32_t> prompt,
                                                const GenerateOptions &options) {
  QRT_RETURN_IF_ERROR(check(prompt, options));
  const auto promptLength = static_cast<int64_t>(prompt.size());
  const int64_t most =
      options.maxTokens ? *options.maxTokens : session.contextLength() - promptLength;
  const int64_t mostDraft =
      options.draft.source ? std::min(options.draft.tokens, *session.maxDraft()) : 0;

  Generation result;
  result.promptTokens.assign(prompt.begin(), prompt.end());
  result.stopReason = options.maxTokens ? StopReason::Length : StopReason::Context;
  QRT_RETURN_IF_ERROR(session.truncate(options.cached));
  if (most == 0)
    return result;

  auto start = std::chrono::steady_clock::now();
  QRT_RETURN_IF_ERROR(
      prefill(prompt.subspan(static_cast<size_t>(options.cached),
                             static_cast<size_t>(promptLength - 1 - options.cached)),
              options));
  if (session.length() < promptLength - 1) {
    result.stopReason = StopReason::Cancelled;
    return result;
  }
  if (options.draft.source)
    options.draft.source->begin(prompt);
  Rounds rounds(session, options);
  rounds.begin(prompt);
  result.prefillSeconds = secondsSince(start);

  start = std::chrono::steady_clock::now();
  Output output(options, result);
  int32_t pending = prompt.back();
  bool ended = false;
  while (!ended && static_cast<int64_t>(result.tokens.size()) < most) {
    if (isCancelled(options)) {
      result.stopReason = StopReason::Cancelled;
      break;
    }
    const int64_t left = most - static_cast<int64_t>(result.tokens.size());
    // A round emits one token more than it accepts. With this limit it cannot go past the
    // last wanted one, nor past the context, which `most` respects.
    const int64_t limit = std::min(mostDraft, left - 1);
    QRT_ASSIGN_OR_RETURN(Emitted emitted, rounds.run(pending, limit));
    ++result.rounds;

    size_t kept = 0;
    while (!ended && kept < emitted.tokens.size())
      ended = output.accept(emitted.tokens[kept++]);
    result.drafted += emitted.drafted;
    result.accepted += std::min(emitted.accepted, static_cast<int64_t>(kept));
    // What follows the end was never decided by plain decoding.
    if (kept < emitted.tokens.size())
      QRT_RETURN_IF_ERROR(
          session.truncate(promptLength + static_cast<int64_t>(result.tokens.size()) - 1));
    if (options.draft.source)
      options.draft.source->append(absl::MakeConstSpan(result.tokens).last(kept));
    pending = result.tokens.back();
  }
  output.finish();
  result.decodeSeconds = secondsSince(start);
  return result;
}
