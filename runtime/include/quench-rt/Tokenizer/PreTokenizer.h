//===- PreTokenizer.h - cuts text into the pieces that merges stay inside --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Byte-pair encoding merges inside words, not across them. What a word is belongs to
// the model: a list of regular expressions, applied one after the other, each inside
// the pieces that the previous one left. A match is a piece, and so is whatever lies
// between two matches.
//
// The expressions are the published ones: of GPT-2 (OpenAI, 2019), of Llama 3 and of
// Qwen2 (the `pre_tokenizer` of their tokenizer.json); SmolLM splits off every digit
// first, then cuts like GPT-2. Letters, numbers and white space are Unicode's, in the
// version that the installed PCRE2 knows. Normalization (some Qwen2 files ask for
// NFC) is not applied: model files do not say whether to.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_TOKENIZER_PRETOKENIZER_H
#define QUENCH_RT_TOKENIZER_PRETOKENIZER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <memory>
#include <string>
#include <vector>

namespace qrt {

/// How the models that share a pre-tokenizer treat text.
struct PreTokenizerRules {
  absl::string_view name;
  /// Applied in order; PCRE2 syntax.
  absl::Span<const absl::string_view> patterns;
  /// A piece that is a token as a whole is that token, whatever the merges say.
  bool ignoreMerges;
  /// Whether a beginning-of-text token is added when a file does not say.
  bool addBosByDefault;
};

/// The rules for a name, or null if it is not supported.
const PreTokenizerRules *findPreTokenizerRules(absl::string_view name);

/// The supported names, for messages: `'gpt-2', 'smollm', …`.
std::string supportedPreTokenizers();

/// Compiled rules. Immutable, so threads may share one.
class PreTokenizer {
public:
  /// Fails if `name` is not supported; the message lists what is.
  static absl::StatusOr<PreTokenizer> create(absl::string_view name);

  PreTokenizer(PreTokenizer &&) noexcept;
  PreTokenizer &operator=(PreTokenizer &&) noexcept;
  ~PreTokenizer();

  const PreTokenizerRules &rules() const;

  /// Appends the pieces of `text` to `pieces`: views into `text`, none empty, in
  /// order, without gaps. `text` must be valid UTF-8. Takes time linear in its length.
  absl::Status split(absl::string_view text, std::vector<absl::string_view> &pieces) const;

private:
  struct Impl;
  explicit PreTokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace qrt

#endif // QUENCH_RT_TOKENIZER_PRETOKENIZER_H
