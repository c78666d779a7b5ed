//===- Session.h - a program and the state of one sequence ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A session runs the entry points of a language model on one sequence in its cache.
// Positions of a step start at the length of the cache, which the step raises:
//
//   prefill(tokens, kv)                append; no result
//   logits(tokens, kv)                 append; logits of every row
//   greedy(tokens, kv)                 append; for every row the most likely token and
//                                      its logit
//   round(pending, limit, kv)          draft and verify: the tokens that greedy decoding
//                                      emits next, one or more
//
// A prompt except its last token goes through prefill; the last token is the first
// pending one: a token that is part of the text but not yet in the cache.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_SESSION_H
#define QUENCH_RT_DECODE_SESSION_H

#include "quench-rt/Decode/DraftSource.h"
#include "quench-rt/Device/Device.h"
#include "quench-rt/KVCache/KVCache.h"
#include "quench-rt/Program/Executable.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qrt {

struct SessionOptions {
  int64_t contextLength = 0; ///< the most positions; positive
  /// Rows of a step of prefill; 0 for as many as the program takes. No effect on
  /// results.
  int64_t prefillRows = 0;
};

class Session final : private HostCallbacks {
public:
  /// Borrows the executable. FailedPrecondition if the program is no language model of
  /// the form above; `round` may be missing.
  static absl::StatusOr<std::unique_ptr<Session>> create(const Executable &executable,
                                                         const SessionOptions &options);
  ~Session() override;

  int64_t contextLength() const { return cache->contextLength(); }
  int64_t vocabularySize() const { return vocabulary; }
  /// The most rows of a step.
  int64_t maxRows() const { return executable->descriptor().maxRows; }
  /// The most tokens that a round may draft; none if the program has no round.
  absl::optional<int64_t> maxDraft() const;

  /// Positions in the cache.
  int64_t length() const { return sequence.length(); }

  /// Appends any number of tokens.
  absl::Status prefill(absl::Span<const int32_t> tokens);

  /// Results of a step, valid until the next one.
  struct Step {
    absl::Span<const int32_t> ids;
    absl::Span<const float> logits; ///< of each of `ids`
  };

  /// Appends at most maxRows() tokens. Result i is what follows tokens[i].
  absl::StatusOr<Step> greedy(absl::Span<const int32_t> tokens);

  /// Appends at most maxRows() tokens. Row i, of vocabularySize() logits, is about what
  /// follows tokens[i]. Valid until the next call of logits.
  absl::StatusOr<absl::Span<const float>> logits(absl::Span<const int32_t> tokens);

  struct Round {
    Step emitted;         ///< accepted candidates, then one token more
    int64_t drafted = 0;  ///< candidates proposed
    int64_t accepted = 0; ///< emitted.ids.size() - 1
  };

  /// One round: appends `pending` and the accepted ones of at most `limit` candidates
  /// from `source`. The last emitted token is the next pending one.
  absl::StatusOr<Round> round(int32_t pending, int64_t limit, DraftSource &source);

  /// Forgets the positions from `length` on.
  absl::Status truncate(int64_t length) { return sequence.truncate(length); }

  /// Hash of the first `count` positions, see Sequence::hashCommitted.
  absl::StatusOr<std::string> hashCommitted(int64_t count) const {
    return sequence.hashCommitted(count);
  }
  /// Bytes of positions, see Sequence::read.
  absl::StatusOr<std::vector<uint8_t>> readCommitted(int64_t first, int64_t count) const {
    return sequence.read(first, count);
  }

private:
  struct Entry {
    size_t index;
    absl::string_view name;
  };

  Session(const Executable &executable, std::unique_ptr<KVCache> cache);
  absl::Status allocate();
  int64_t draft(int64_t source, absl::Span<const int32_t> pending,
                absl::Span<int32_t> candidates) override;

  /// Checks tokens and copies them to where entries read them.
  absl::Status setTokens(absl::Span<const int32_t> tokens);
  /// Reserves `rows` positions, runs, and checks what was committed.
  absl::StatusOr<int64_t> run(const Entry &entry, int64_t rows, absl::Span<qrt_tensor> args);
  absl::StatusOr<Step> takeStep(const Entry &entry, int64_t count) const;
  qrt_tensor tokensArg(size_t count) const;
  qrt_tensor cacheArg();

  const Executable *executable;
  std::unique_ptr<KVCache> cache;
  Sequence sequence;
  Entry prefillEntry{}, logitsEntry{}, greedyEntry{};
  absl::optional<Entry> roundEntry;
  int64_t vocabulary = 0;
  int64_t prefillRows = 0;
  std::unique_ptr<Buffer> tokenBuffer, idBuffer, scoreBuffer, pendingBuffer, logitsBuffer;

  DraftSource *drafter = nullptr; ///< during a round
  int64_t drafted = 0;
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_SESSION_H
