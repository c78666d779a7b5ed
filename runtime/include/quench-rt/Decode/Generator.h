//===- Generator.h - a generation, step by step ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Owns everything about a generation that compiled code does not: where it ends, how
// many tokens a round may draft, what is kept of a round that went past the end.
//
// Contract: for the same prompt, limits and sampling options, tokens, text, the bits of
// their logits and the state of the cache afterwards are the same with and without a
// draft source, whatever the source proposes; with AcceptanceRule::Rejection it is the
// distribution of the tokens that is the same. After P prompt tokens and n generated ones the
// cache holds P + n - 1 positions: the last token has not been through the model.
//
// Prompt and generated tokens together never exceed the session's context.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_GENERATOR_H
#define QUENCH_RT_DECODE_GENERATOR_H

#include "quench-rt/Decode/DraftSource.h"
#include "quench-rt/Decode/Sampler.h"
#include "quench-rt/Decode/SamplingOptions.h"
#include "quench-rt/Decode/Session.h"
#include "quench-rt/Decode/TextStream.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace qrt {

enum class StopReason : uint8_t {
  End,       ///< the model emitted a token that ends the text
  Stop,      ///< a stop string occurred
  Length,    ///< maxTokens were generated
  Context,   ///< the context is full
  Cancelled, ///< GenerateOptions::cancelled said so
};

/// "end", "stop", "length", "context" or "cancelled".
absl::string_view stopReasonName(StopReason reason);

/// When a candidate is accepted, where tokens are sampled.
enum class AcceptanceRule : uint8_t {
  /// If it is what the target samples at its place.
  Match,
  /// By rejection sampling, from a source that draws its candidates: more are accepted. At
  /// temperature 0 this is Match.
  Rejection,
};

/// How a generation drafts.
struct DraftOptions {
  /// Null: plain decoding. Otherwise the program must have been compiled with a draft
  /// source.
  DraftSource *source = nullptr;
  /// The most tokens drafted in a round, at least 0; the program's own limit holds too.
  int64_t tokens = 4;
  AcceptanceRule acceptance = AcceptanceRule::Match;
};

struct GenerateOptions {
  /// Prompt plus this many tokens must fit the context. None: until the context is
  /// full.
  absl::optional<int64_t> maxTokens;
  /// Tokens that end the text. The one emitted is among the generated ids, but not in
  /// the text.
  std::vector<int32_t> endTokens;
  /// Strings that end the text, which stops before them. The ids include the token that
  /// completed the string.
  std::vector<std::string> stops;
  /// Makes text from tokens; stop strings need it. Null: no text.
  TextStream *text = nullptr;
  /// Receives the text piece by piece as it becomes certain. May be empty.
  std::function<void(absl::string_view piece)> onText;

  /// How tokens are chosen. Plain greedy decoding runs the program's fused entries `greedy`
  /// and `round`, all else its entry `logits`.
  SamplingOptions sampling;

  /// Asked now and then, at least before each round; true ends the generation. After one
  /// that was cancelled inside of the prompt the cache holds a part of it. May be empty.
  std::function<bool()> cancelled;

  /// The session's cache already holds this many tokens of the prompt, from its start; at
  /// most all but the last. What else is in it is forgotten.
  int64_t cached = 0;

  DraftOptions draft;
};

struct Generation {
  std::string text;
  std::vector<int32_t> tokens;
  std::vector<float> logits;           ///< the model's, of each of `tokens`
  std::vector<TokenLogprobs> logprobs; ///< of each, if asked for
  std::vector<int32_t> promptTokens;
  int64_t drafted = 0;  ///< candidates proposed
  int64_t accepted = 0; ///< of them in `tokens`
  int64_t rounds = 0;   ///< steps after the prompt
  StopReason stopReason = StopReason::Length;
  double prefillSeconds = 0; ///< for the prompt except its last token and what was cached
  double decodeSeconds = 0;

  double tokensPerSecond() const {
    return decodeSeconds > 0 ? static_cast<double>(tokens.size()) / decodeSeconds : 0;
  }
};

class Rounds;

class Generator {
public:
  /// Borrows the session, whose sequence starts anew but for what GenerateOptions::cached
  /// keeps, and which nobody else may use until the last step. InvalidArgument, before any
  /// work, for an empty prompt, for a prompt that with maxTokens exceeds the context, and
  /// for options that make no sense.
  static absl::StatusOr<std::unique_ptr<Generator>>
  begin(Session &session, absl::Span<const int32_t> prompt, GenerateOptions options);

  ~Generator();

  /// Runs a part of the prompt or one round. False once the generation has ended; an error
  /// ends it as well.
  absl::StatusOr<bool> step();

  /// What there is so far; complete when step() has returned false.
  const Generation &result() const { return generation; }
  Generation takeResult() { return std::move(generation); }

private:
  Generator(Session &session, absl::Span<const int32_t> prompt, GenerateOptions options);

  absl::Status prefill();
  absl::Status round();
  bool accept(SampledToken &token);
  void emit(const std::string &piece);
  void finishText();

  Session &session;
  GenerateOptions options;
  Generation generation;
  StopMatcher stop;
  std::unique_ptr<Rounds> rounds; ///< once the prompt is in the cache but for its last token
  int64_t most = 0;               ///< tokens to generate
  int64_t mostDraft = 0;          ///< of a round
  bool ended = false;
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_GENERATOR_H
