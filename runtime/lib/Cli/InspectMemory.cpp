//===- InspectMemory.cpp - how a memory plan is shown ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InspectReport.h"

#include "quench-rt/Support/Size.h"

#include "absl/strings/str_cat.h"

using namespace qrt;
using namespace qrt::cli;

Json cli::memoryAsJson(const MemoryPlan &plan, int64_t context) {
  return {{"weights", plan.weights},
          {"workspace", plan.workspace},
          {"logits", plan.logits},
          {"cache_per_token", plan.perPosition},
          {"cache", plan.cache(context)}};
}

std::string cli::memoryAsText(const MemoryPlan &plan, int64_t context) {
  std::vector<std::vector<std::string>> rows = {{"memory", "size"},
                                                {"weights, packed", formatBytes(plan.weights)},
                                                {"workspace", formatBytes(plan.workspace)}};
  if (plan.logits > 0)
    rows.push_back({"all logits of a step", formatBytes(plan.logits)});
  if (plan.perPosition > 0) {
    rows.push_back({"cache, each token", formatBytes(plan.perPosition)});
    rows.push_back({absl::StrCat("cache, ", context, " tokens"), formatBytes(plan.cache(context))});
  }
  return absl::StrCat("\n", formatTable(rows));
}
