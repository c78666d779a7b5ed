//===- TextSession.h - a model that continues texts -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_TEXTSESSION_H
#define QUENCH_RT_MODEL_TEXTSESSION_H

#include "quench-rt/Decode/Generator.h"
#include "quench-rt/Model/Drafting.h"
#include "quench-rt/Tokenizer/Tokenizer.h"

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

/// See GenerateOptions for what has the same name there.
struct TextOptions {
  absl::optional<int64_t> maxTokens;
  bool ignoreEnd = false; ///< goes on where the model ends the text
  std::vector<std::string> stops;
  SamplingOptions sampling;
  SpeculationOptions speculation;
  /// The text goes on from that of the prompt, see DecodeOptions::continues.
  bool continues = true;
  std::function<void(absl::string_view piece)> onText;
  std::function<bool()> cancelled;
};

/// What a generation of text needs, and what it borrows.
struct TextPlan {
  std::unique_ptr<TokenizerStream> text;
  Drafting drafting;
  GenerateOptions options; ///< refers to the members above
};

/// Borrows session and tokenizer. `model` is for messages.
absl::StatusOr<TextPlan> planText(const Session &session, const Tokenizer &tokenizer,
                                  const std::string &model, const TextOptions &options);

/// The tokens after which a model has nothing more to say.
std::vector<int32_t> endTokensOf(const Tokenizer &tokenizer);

/// A generation in progress.
class TextGeneration {
public:
  /// Works through a part of the prompt, or emits one token or more. False once it has
  /// ended; an error ends it as well.
  absl::StatusOr<bool> step();

  /// What there is so far.
  const Generation &result() const { return generator->result(); }
  /// Tokens of the prompt that were in the cache already.
  int64_t cached() const { return plan.options.cached; }

private:
  friend class TextSession;
  TextGeneration(TextPlan plan, std::unique_ptr<Generator> generator)
      : plan(std::move(plan)), generator(std::move(generator)) {}

  TextPlan plan;
  std::unique_ptr<Generator> generator;
  bool failed = false;
};

/// A session that knows which tokens its cache holds: what a prompt has in common with the
/// one before, and with what was generated from that, is not processed again.
class TextSession {
public:
  /// Borrows the tokenizer. `model` is for messages.
  TextSession(std::unique_ptr<Session> session, const Tokenizer &tokenizer, std::string model)
      : owned(std::move(session)), tokens(&tokenizer), model(std::move(model)) {}

  const Tokenizer &tokenizer() const { return *tokens; }
  int64_t contextLength() const { return owned->contextLength(); }

  /// Starts a generation, which is the session's until the next one starts; the one before
  /// is over then. Errors as of Generator::begin.
  absl::StatusOr<TextGeneration *> begin(absl::Span<const int32_t> prompt,
                                         const TextOptions &options);

  /// Ends the generation in progress, if there is one.
  void end();

  /// The session for other work. Ends the generation, and forgets what the cache holds.
  Session &session();

private:
  std::unique_ptr<Session> owned;
  const Tokenizer *tokens;
  std::string model;
  std::vector<int32_t> inCache; ///< the tokens at the positions of the cache
  std::unique_ptr<TextGeneration> current;
};

} // namespace qrt

#endif // QUENCH_RT_MODEL_TEXTSESSION_H
