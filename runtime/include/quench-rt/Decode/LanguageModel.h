//===- LanguageModel.h - the entry points of one model of a program -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Runs the entry points of a language model on one sequence in its cache. Positions of a
// step start at the length of the cache, which the step raises:
//
//   prefill(tokens, kv)                append; no result
//   logits(tokens, kv)                 append; logits of every row
//   greedy(tokens, kv)                 append; for every row the most likely token and
//                                      its logit
//
// A program that was joined with a draft model has these twice; the names of the draft's
// begin with kDraftPrefix.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_LANGUAGEMODEL_H
#define QUENCH_RT_DECODE_LANGUAGEMODEL_H

#include "quench-rt/Device/Device.h"
#include "quench-rt/KVCache/KVCache.h"
#include "quench-rt/Program/Executable.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace qrt {

/// What follows each token of a step. Valid until the model's next step.
struct Step {
  absl::Span<const int32_t> ids;
  absl::Span<const float> logits; ///< of each of `ids`
};

class LanguageModel {
public:
  /// Borrows the executable. FailedPrecondition if the program has no model of this
  /// prefix in the form above.
  static absl::StatusOr<std::unique_ptr<LanguageModel>>
  create(const Executable &executable, absl::string_view prefix, int64_t contextLength);

  int64_t contextLength() const { return cache->contextLength(); }
  int64_t vocabularySize() const { return vocabulary; }
  /// The most rows of a step.
  int64_t maxRows() const { return executable->descriptor().maxRows; }
  /// Positions in the cache.
  int64_t length() const { return sequence.length(); }

  /// Appends any number of tokens, at most `rows` in a step.
  absl::Status prefill(absl::Span<const int32_t> tokens, int64_t rows);
  /// Appends at most maxRows() tokens. Result i is what follows tokens[i].
  absl::StatusOr<Step> greedy(absl::Span<const int32_t> tokens);
  /// Appends at most maxRows() tokens. Row i, of vocabularySize() logits, is about what
  /// follows tokens[i]. Valid until the next call of logits.
  absl::StatusOr<absl::Span<const float>> logits(absl::Span<const int32_t> tokens);

  /// Forgets the positions from `length` on.
  absl::Status truncate(int64_t length) { return sequence.truncate(length); }
  const Sequence &positions() const { return sequence; }

  /// The pieces of a step of another entry. An argument or result refers to the model's
  /// buffers.
  struct Entry {
    size_t index = 0;
    std::string name;
  };
  absl::Status setTokens(absl::Span<const int32_t> tokens);
  absl::Status reserve(int64_t rows) { return sequence.reserve(rows); }
  qrt_tensor tokensArg(size_t count) const;
  qrt_tensor cacheArg() { return {sequence.view(), {}}; }
  qrt_tensor idsResult() const { return {idBuffer->data(), {}}; }
  qrt_tensor scoresResult() const { return {scoreBuffer->data(), {}}; }
  /// Runs, and checks that 1 to `rows` positions were committed; otherwise none are.
  absl::StatusOr<int64_t> run(const Entry &entry, int64_t rows, absl::Span<qrt_tensor> args,
                              HostCallbacks *callbacks = nullptr);
  /// The first `count` of the two results.
  absl::StatusOr<Step> takeStep(const Entry &entry, int64_t count) const;
  /// Sets the length as it was, after a step that did not do what it should.
  void restoreLength(int64_t length) { sequence.view()->length = length; }

private:
  LanguageModel(const Executable &executable, std::unique_ptr<KVCache> cache);
  absl::Status allocate();

  const Executable *executable;
  std::unique_ptr<KVCache> cache;
  Sequence sequence;
  Entry prefillEntry, logitsEntry, greedyEntry;
  int64_t vocabulary = 0;
  std::unique_ptr<Buffer> tokenBuffer, idBuffer, scoreBuffer, logitsBuffer;
};

/// An entry did something that no correctly compiled program does.
absl::Status misbehaved(absl::string_view entry, absl::string_view what);

} // namespace qrt

#endif // QUENCH_RT_DECODE_LANGUAGEMODEL_H
