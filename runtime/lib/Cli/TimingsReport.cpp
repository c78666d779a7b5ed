//===- TimingsReport.cpp - what --timings shows ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TimingsReport.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

using namespace qrt;
using namespace qrt::cli;

static Json listAsJson(const Timings::List &list) {
  Json array = Json::array();
  for (const auto &[name, milliseconds] : list)
    array.push_back({{"name", name}, {"milliseconds", milliseconds}});
  return array;
}

Json cli::timingsAsJson(const Timings &timings) {
  Json object = {{"start", timings.isCold() ? "cold" : "warm"},
                 {"stages", listAsJson(timings.stages)},
                 {"compiler", listAsJson(timings.compilerStages)},
                 {"kernels", listAsJson(timings.kernels)}};
  if (timings.firstToken > 0)
    object["first_token"] = timings.firstToken;
  return object;
}

static void appendList(std::string &text, const char *heading, const Timings::List &list) {
  if (list.empty())
    return;
  std::vector<std::vector<std::string>> rows = {{heading, "ms"}};
  double total = 0;
  for (const auto &[name, milliseconds] : list) {
    rows.push_back({name, absl::StrFormat("%.1f", milliseconds)});
    total += milliseconds;
  }
  rows.push_back({"total", absl::StrFormat("%.1f", total)});
  absl::StrAppend(&text, formatTable(rows));
}

std::string cli::timingsAsText(const Timings &timings) {
  std::string text;
  appendList(text, timings.isCold() ? "cold start" : "warm start", timings.stages);
  appendList(text, "compiler", timings.compilerStages);
  appendList(text, "kernel", timings.kernels);
  if (timings.firstToken > 0)
    absl::StrAppendFormat(&text, "first token %.1f ms after the start of the program\n",
                          timings.firstToken);
  return text;
}
