//===- MemoryPlan.h - what a program will need ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Known from a compiled library alone, before anything is allocated. Pages of a cache and
// the logits of all rows are taken as they are first used, so a plan is the most that there
// can be.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_MEMORYPLAN_H
#define QUENCH_RT_PROGRAM_MEMORYPLAN_H

#include "quench-rt/Program/Descriptor.h"

#include <cstdint>

namespace qrt {

/// In bytes.
struct MemoryPlan {
  uint64_t weights = 0;     ///< packed
  uint64_t workspace = 0;   ///< shared by the threads, and each one's own
  uint64_t logits = 0;      ///< of a step's rows, where all of them are asked for
  uint64_t perPosition = 0; ///< of all caches together

  /// Caches of sequences of `positions` positions.
  uint64_t cache(int64_t positions) const { return perPosition * static_cast<uint64_t>(positions); }

  /// All but the weights.
  uint64_t session(int64_t positions) const { return workspace + logits + cache(positions); }

  /// The most positions, at most `wanted`, whose session fits into `available` bytes; 0 if
  /// none does.
  int64_t positionsThatFit(int64_t wanted, uint64_t available) const;
};

MemoryPlan planMemory(const LibraryDescriptor &library, int threads);

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_MEMORYPLAN_H
