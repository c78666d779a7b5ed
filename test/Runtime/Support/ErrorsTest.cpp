//===- ErrorsTest.cpp - who is at fault ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Errors.h"

#include "gtest/gtest.h"

#include <string>

using namespace qrt;

namespace {

TEST(Errors, ExitStatusDependsOnTheKind) {
  EXPECT_EQ(exitStatusOf(absl::OkStatus()), ExitStatus::Success);
  EXPECT_EQ(exitStatusOf(absl::InvalidArgumentError("")), ExitStatus::Input);
  EXPECT_EQ(exitStatusOf(absl::DataLossError("")), ExitStatus::Input);
  EXPECT_EQ(exitStatusOf(absl::UnimplementedError("")), ExitStatus::Input);
  EXPECT_EQ(exitStatusOf(usageError("")), ExitStatus::Usage);
  EXPECT_EQ(exitStatusOf(environmentError("")), ExitStatus::Environment);
  EXPECT_EQ(exitStatusOf(absl::ResourceExhaustedError("")), ExitStatus::Environment);
  EXPECT_EQ(exitStatusOf(absl::InternalError("")), ExitStatus::Environment);
}

TEST(Errors, ContextKeepsTheKind) {
  absl::Status status = withContext(usageError("what"), "where");
  EXPECT_EQ(std::string(status.message()), "where: what");
  EXPECT_EQ(exitStatusOf(status), ExitStatus::Usage);
}

} // namespace
