//===- Parallel.h - a loop on a few threads -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_PROGRAM_PARALLEL_H
#define QUENCH_RT_LIB_PROGRAM_PARALLEL_H

#include "quench-rt/Device/ThreadTeam.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace qrt {

/// Calls `body(i)` for each i below `count`, on at most `threads` threads; on one if no
/// more can be started.
template <typename Body> void parallelFor(size_t count, int threads, Body body) {
  std::atomic<size_t> next{0};
  auto share = [&](uint64_t, uint64_t) {
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
      body(i);
  };
  threads = static_cast<int>(std::min<size_t>(count, static_cast<size_t>(std::max(threads, 1))));
  if (threads > 1) {
    ThreadTeamOptions options;
    options.numThreads = threads;
    options.pin = false;
    options.spinPauses = 0;
    if (auto team = ThreadTeam::create(options); team.ok())
      return (*team)->run(share);
  }
  share(0, 1);
}

} // namespace qrt

#endif // QUENCH_RT_LIB_PROGRAM_PARALLEL_H
