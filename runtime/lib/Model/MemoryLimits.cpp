//===- MemoryLimits.cpp - what fits into the memory there is --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemoryLimits.h"

#include "quench-rt/Support/Errors.h"
#include "quench-rt/Support/Size.h"

#include "absl/strings/str_cat.h"

using namespace qrt;

bool qrt::mustMapWeights(const MemoryPlan &plan, uint64_t available, const Listener &listener) {
  if (plan.weights + plan.session(1) <= available)
    return false;
  if (listener.note)
    listener.note(absl::StrCat("the weights (", formatBytes(plan.weights), ") do not fit into the ",
                               formatBytes(available),
                               " of memory that are available: they are mapped from the cache, "
                               "which is slower"));
  return true;
}

absl::StatusOr<int64_t> qrt::fitContext(const MemoryPlan &plan, uint64_t available, int64_t wanted,
                                        absl::string_view option, int64_t context,
                                        const Listener &listener) {
  const int64_t asked = wanted > 0 ? wanted : context;
  const int64_t most = plan.positionsThatFit(asked, available);
  if (most == asked)
    return asked;
  const std::string needs =
      absl::StrCat(formatBytes(plan.session(asked)), " (cache ", formatBytes(plan.cache(asked)),
                   ", workspace ", formatBytes(plan.workspace), ", logits ",
                   formatBytes(plan.logits), "), and ", formatBytes(available), " are available");
  if (most == 0)
    return environmentError(absl::StrCat("not enough memory: ", asked, " tokens need ", needs,
                                         ", too little for any number of tokens"));
  if (wanted > 0)
    return environmentError(absl::StrCat(option, ": not enough memory: ", asked, " tokens need ",
                                         needs, "; expected at most ", most));
  if (listener.note)
    listener.note(absl::StrCat("the context is limited to ", most, " tokens: ", asked,
                               " would need ", needs));
  return most;
}
