//===- Session.h - a program and the state of one sequence ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A session runs a language model (see LanguageModel.h) on one sequence, and its rounds of
// draft and verify:
//
//   round(pending, limit, kv)          the tokens that greedy decoding emits next, one or
//                                      more; candidates come from the host
//   round(pending, limit, kv, draft)   the same with candidates of the program's draft
//                                      model, whose cache is `draft`
//
// A prompt except its last token goes through prefill; the last token is the first
// pending one: a token that is part of the text but not yet in the cache.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_SESSION_H
#define QUENCH_RT_DECODE_SESSION_H

#include "quench-rt/Decode/DraftModel.h"
#include "quench-rt/Decode/LanguageModel.h"

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
  using Step = qrt::Step;

  /// Borrows the executable. FailedPrecondition if the program is no language model of
  /// the form above; `round` may be missing.
  static absl::StatusOr<std::unique_ptr<Session>> create(const Executable &executable,
                                                         const SessionOptions &options);
  ~Session() override;

  int64_t contextLength() const { return model->contextLength(); }
  int64_t vocabularySize() const { return model->vocabularySize(); }
  /// The most rows of a step.
  int64_t maxRows() const { return model->maxRows(); }
  /// The most tokens that a round may draft; none if the program has no round.
  absl::optional<int64_t> maxDraft() const;
  /// The program's draft model, which then is the source of every round; null if the host
  /// drafts.
  DraftSource *draftModel() const { return small.get(); }

  /// Positions in the cache.
  int64_t length() const { return model->length(); }

  /// Appends any number of tokens.
  absl::Status prefill(absl::Span<const int32_t> tokens) {
    return model->prefill(tokens, prefillRows);
  }

  /// Appends at most maxRows() tokens. Result i is what follows tokens[i].
  absl::StatusOr<Step> greedy(absl::Span<const int32_t> tokens) { return model->greedy(tokens); }

  /// Appends at most maxRows() tokens. Row i, of vocabularySize() logits, is about what
  /// follows tokens[i]. Valid until the next call of logits.
  absl::StatusOr<absl::Span<const float>> logits(absl::Span<const int32_t> tokens) {
    return model->logits(tokens);
  }

  struct Round {
    Step emitted;         ///< accepted candidates, then one token more
    int64_t drafted = 0;  ///< candidates proposed
    int64_t accepted = 0; ///< emitted.ids.size() - 1
  };

  /// One round: appends `pending` and the accepted ones of at most `limit` candidates
  /// from `source`, which is draftModel() if there is one and then has to know the sequence
  /// up to `pending`. The last emitted token is the next pending one.
  absl::StatusOr<Round> round(int32_t pending, int64_t limit, DraftSource &source);

  /// Forgets the positions from `length` on.
  absl::Status truncate(int64_t length) { return model->truncate(length); }

  /// Hash of the first `count` positions, see Sequence::hashCommitted.
  absl::StatusOr<std::string> hashCommitted(int64_t count) const {
    return model->positions().hashCommitted(count);
  }
  /// Bytes of positions, see Sequence::read.
  absl::StatusOr<std::vector<uint8_t>> readCommitted(int64_t first, int64_t count) const {
    return model->positions().read(first, count);
  }

private:
  explicit Session(std::unique_ptr<LanguageModel> model) : model(std::move(model)) {}
  absl::Status addRounds(const Executable &executable);
  int64_t draft(int64_t source, absl::Span<const int32_t> pending,
                absl::Span<int32_t> candidates) override;

  std::unique_ptr<LanguageModel> model;
  std::unique_ptr<DraftModel> small;
  absl::optional<LanguageModel::Entry> roundEntry;
  int64_t mostDraft = 0;
  int64_t prefillRows = 0;
  std::unique_ptr<Buffer> pendingBuffer;

  DraftSource *drafter = nullptr; ///< during a round
  int64_t drafted = 0;
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_SESSION_H
