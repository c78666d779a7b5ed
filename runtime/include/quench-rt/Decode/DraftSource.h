//===- DraftSource.h - who proposes tokens --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_DRAFTSOURCE_H
#define QUENCH_RT_DECODE_DRAFTSOURCE_H

#include "absl/status/status.h"
#include "absl/types/span.h"

#include <cstdint>

namespace qrt {

/// Proposes tokens that may come next. What it proposes changes the speed of a
/// generation, never its result.
///
/// A generation calls begin() with the prompt, then append() with what has been emitted
/// after each round, so that the source always knows the whole sequence.
class DraftSource {
public:
  virtual ~DraftSource() = default;

  /// Starts a new sequence with these tokens.
  virtual void begin(absl::Span<const int32_t> prompt) = 0;

  /// These tokens follow.
  virtual void append(absl::Span<const int32_t> tokens) = 0;

  /// Writes at most `candidates.size()` tokens that may follow the sequence and returns
  /// how many. `pending` are the last tokens of the sequence. Called from a thread of
  /// the device in the middle of a step, on one thread at a time.
  virtual int64_t propose(absl::Span<const int32_t> pending, absl::Span<int32_t> candidates) = 0;

  /// What went wrong in one of the calls, which have no other way to say so.
  virtual absl::Status status() const { return absl::OkStatus(); }
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_DRAFTSOURCE_H
