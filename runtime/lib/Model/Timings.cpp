//===- Timings.cpp - where the time of loading went -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/Timings.h"

#include "nlohmann/json.hpp"

using namespace qrt;

static void takeList(const nlohmann::json &response, const char *name, Timings::List &list) {
  auto found = response.find(name);
  if (found == response.end() || !found->is_array())
    return;
  for (const nlohmann::json &item : *found)
    if (item.is_object())
      list.emplace_back(item.value("name", ""), item.value("milliseconds", 0.0));
}

void Timings::addCompilerResponse(const nlohmann::json &response) {
  takeList(response, "stages", compilerStages);
  takeList(response, "kernels", kernels);
}
