//===- StatusTest.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Status.h"

#include <gtest/gtest.h>

#include <memory>

namespace {

absl::StatusOr<std::unique_ptr<int>> make(int value) {
  if (value < 0)
    return absl::OutOfRangeError("negative");
  return std::make_unique<int>(value);
}

absl::Status check(int value) { return make(value).status(); }

absl::StatusOr<int> sum(int a, int b) {
  QRT_RETURN_IF_ERROR(check(a));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<int> first, make(a));
  std::unique_ptr<int> second;
  QRT_ASSIGN_OR_RETURN(second, make(b));
  return *first + *second;
}

TEST(Status, ValuesPassThrough) {
  ASSERT_TRUE(sum(1, 2).ok());
  EXPECT_EQ(*sum(1, 2), 3);
}

TEST(Status, ErrorsReturn) {
  EXPECT_EQ(sum(-1, 2).status(), absl::OutOfRangeError("negative"));
  EXPECT_EQ(sum(1, -2).status(), absl::OutOfRangeError("negative"));
}

} // namespace
