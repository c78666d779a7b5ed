//===- InspectPackageTest.cpp - what a package says, shown safely ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InspectReport.h"

#include "FakeModel.h"

#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Program/Package.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace qrt;
using namespace qrt::cli;
using namespace qrt::test;

namespace {

/// Clears a terminal and goes on on the next line.
const std::string kHostile = "a\x1b[2J\nb";

void expectSafe(const std::string &text) {
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c == '\n' || (c >= 0x20 && c != 0x7f);
  })) << text;
  EXPECT_EQ(text.find("\nb"), std::string::npos) << text;
}

TEST(InspectPackage, TextsOfThePackageAreSafeToPrint) {
  TemporaryFolder folder;
  NewPackage package;
  package.manifest.producer = kHostile;
  package.manifest.name = kHostile;
  package.manifest.architecture = kHostile;
  package.manifest.activations = "f32";
  package.manifest.weights.kind = WeightsRecord::InPackage;
  package.program = "a program";
  package.writeWeights = [](const std::string &path) {
    const float number = 1;
    SafetensorsWriter writer;
    EXPECT_TRUE(writer.setMetadata(kHostile, kHostile + " 1").ok());
    EXPECT_TRUE(writer.addTensor(kHostile, "F32", {1}, &number, 4).ok());
    return writer.write(path);
  };
  ASSERT_TRUE(writePackage(folder / "p", std::move(package)).ok());
  auto report = inspectPackage(folder / "p");
  ASSERT_TRUE(report.ok()) << report.status();
  expectSafe(reportAsText(*report, /*allTensors=*/true));
  expectSafe(reportAsText(*report, /*allTensors=*/false));
  EXPECT_EQ(report->name, "a\\x1b[2J\\x0ab");
  ASSERT_EQ(report->tensors.size(), 1u);
  EXPECT_EQ(report->tensors[0].name, "a\\x1b[2J\\x0ab");
}

} // namespace
