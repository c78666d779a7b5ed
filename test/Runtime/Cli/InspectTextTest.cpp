//===- InspectTextTest.cpp - the report of quench-run inspect --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InspectReport.h"

#include "gtest/gtest.h"

#include <set>
#include <string>

using namespace qrt::cli;

namespace {

InspectReport reportOf(int layers) {
  InspectReport report;
  report.path = "model";
  report.kind = "gguf";
  report.architecture = "llama";
  report.tensors.push_back({"token_embd.weight", "Q8_0", {256, 32}, 8704, {}});
  std::set<std::string> names; // ordered as text, as in many files: 0, 1, 10, 11, 2, …
  for (int layer = 0; layer < layers; ++layer)
    names.insert("blk." + std::to_string(layer) + ".attn_q.weight");
  for (const std::string &name : names)
    report.tensors.push_back({name, "Q4_1", {32, 32}, 640, {}});
  return report;
}

TEST(InspectText, EqualLayersAreOneLine) {
  std::string text = reportAsText(reportOf(12), false);
  EXPECT_NE(text.find("blk.0 to 11, each"), std::string::npos) << text;
  EXPECT_NE(text.find("(others)"), std::string::npos) << text;
}

TEST(InspectText, LayersThatDifferAreNotMerged) {
  InspectReport report = reportOf(4);
  report.tensors.back().format = "Q6_K";
  std::string text = reportAsText(report, false);
  EXPECT_NE(text.find("blk.0 to 2, each"), std::string::npos) << text;
  EXPECT_NE(text.find("1 Q6_K"), std::string::npos) << text;
}

TEST(InspectText, JsonCountsParameters) {
  Json object = reportAsJson(reportOf(4));
  EXPECT_EQ(object["parameters"], 256 * 32 + 4 * 32 * 32);
  EXPECT_EQ(object["bytes"], 8704 + 4 * 640);
  EXPECT_EQ(object["tensors"].size(), 5u);
}

} // namespace
