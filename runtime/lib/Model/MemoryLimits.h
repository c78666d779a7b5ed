//===- MemoryLimits.h - what fits into the memory there is ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_MODEL_MEMORYLIMITS_H
#define QUENCH_RT_LIB_MODEL_MEMORYLIMITS_H

#include "quench-rt/Model/Listener.h"
#include "quench-rt/Program/MemoryPlan.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>

namespace qrt {

/// Whether the weights have to be mapped, since a copy of them does not fit into
/// `available` bytes with a session of one position. That is noted.
bool mustMapWeights(const MemoryPlan &plan, uint64_t available, const Listener &listener);

/// The positions of a session. If `wanted`, which `option` asked for, do not fit it is an
/// environment error that says how many would. If nobody asked (0) it is as many of the
/// model's `context` as fit, with a note if these are not all.
absl::StatusOr<int64_t> fitContext(const MemoryPlan &plan, uint64_t available, int64_t wanted,
                                   absl::string_view option, int64_t context,
                                   const Listener &listener);

} // namespace qrt

#endif // QUENCH_RT_LIB_MODEL_MEMORYLIMITS_H
