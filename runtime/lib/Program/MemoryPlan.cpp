//===- MemoryPlan.cpp - what a program will need --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/MemoryPlan.h"

#include <algorithm>

using namespace qrt;

int64_t MemoryPlan::positionsThatFit(int64_t wanted, uint64_t available) const {
  const uint64_t fixed = session(0);
  if (fixed > available)
    return 0;
  if (perPosition == 0)
    return wanted;
  const uint64_t most = (available - fixed) / perPosition;
  return static_cast<int64_t>(std::min(static_cast<uint64_t>(wanted), most));
}

MemoryPlan qrt::planMemory(const LibraryDescriptor &library, int threads) {
  MemoryPlan plan;
  for (const WeightSpec &weight : library.weights)
    plan.weights += weight.bytes;
  plan.workspace =
      library.workspaceBytes + static_cast<uint64_t>(threads) * library.threadWorkspaceBytes;
  for (const CacheSpec &cache : library.caches)
    plan.perPosition += cache.geometry.positionBytes();
  for (const EntrySpec &entry : library.entries)
    if ((entry.name == "logits" || entry.name == "draft.logits") && entry.results.size() == 1 &&
        entry.results[0].dims.size() == 2 && entry.results[0].dims[1] > 0)
      plan.logits += static_cast<uint64_t>(library.maxRows) *
                     static_cast<uint64_t>(entry.results[0].dims[1]) * sizeof(float);
  return plan;
}
