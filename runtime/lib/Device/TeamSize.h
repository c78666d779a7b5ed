//===- TeamSize.h - how many threads are worth running --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A thread whose processor something else uses as well holds up all others at every
// barrier: with a fair half of it, four threads are as slow as two. One thread less is then
// faster. How much of a processor a thread gets is known to the kernel, which counts the
// time that it was ready to run and did not.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_DEVICE_TEAMSIZE_H
#define QUENCH_RT_LIB_DEVICE_TEAMSIZE_H

#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace qrt {

/// Nanoseconds for which the calling thread was ready to run since it exists, but had no
/// processor; -1 if the system does not say.
int64_t waitedForProcessor();

/// Decides on the number of threads of each run from how long they waited in those before.
/// Times are in nanoseconds.
class TeamSize {
public:
  /// Runs are judged together that take this long.
  static constexpr int64_t kWindow = 50'000'000;
  /// So long it stays with fewer threads before it tries all again; twice as long each time
  /// that this was in vain.
  static constexpr int64_t kFirstHold = 200'000'000, kLongestHold = 3'200'000'000;

  explicit TeamSize(int most) : most(most), now(most), before(static_cast<size_t>(most)) {}

  /// Threads of the next run.
  int threads() const { return now; }

  /// Whether at the end of the next run each thread is to say its waitedForProcessor().
  bool wantsTimes() const { return !unknown && (!haveBefore || ran >= kWindow); }

  /// After a run that took `duration`; `waited` has a value for each of its threads if
  /// wantsTimes() held.
  void afterRun(int64_t duration, absl::Span<const int64_t> waited);

private:
  void judge(absl::Span<const int64_t> waited);
  void set(int threads);

  int most, now;
  bool unknown = false; ///< the system does not say how long threads wait
  bool haveBefore = false;
  std::vector<int64_t> before; ///< waitedForProcessor() of each thread
  int64_t ran = 0;             ///< since `before` was taken
  int64_t hold = kFirstHold;   ///< of the next time
  int64_t remaining = 0;       ///< of this hold
};

} // namespace qrt

#endif // QUENCH_RT_LIB_DEVICE_TEAMSIZE_H
