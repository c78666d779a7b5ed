//===- TraceTest.cpp - where two traces part ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Decode/Trace.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace qrt;
using namespace qrt::test;

namespace {

const Trace kTrace = {{"a", 2, {1, -4, 2, 3}}, {"b", 1, {5, 6}}};

std::vector<Difference> differences(const Trace &other) {
  auto result = compareTraces(kTrace, other);
  EXPECT_TRUE(result.ok()) << result.status();
  return *result;
}

TEST(CompareTraces, TheSame) {
  for (const Difference &one : differences(kTrace)) {
    EXPECT_TRUE(one.sameBits);
    EXPECT_EQ(one.most, 0);
    EXPECT_FALSE(one.exceeds(0));
  }
}

TEST(CompareTraces, TheLargestDifferenceAndItsPlace) {
  Trace other = kTrace;
  other[0].values = {1.5, -4, 2, 2};
  const Difference found = differences(other)[0];
  EXPECT_EQ(found.largest, 4);
  EXPECT_EQ(found.most, 1);
  EXPECT_EQ(found.row, 1);
  EXPECT_EQ(found.column, 1);
  EXPECT_TRUE(found.exceeds(0));
  EXPECT_TRUE(found.exceeds(0.24));
  EXPECT_FALSE(found.exceeds(0.25));
}

TEST(CompareTraces, BitsAreMoreThanValues) {
  Trace one = {{"a", 1, {0}}}, other = {{"a", 1, {-0.0f}}};
  auto found = compareTraces(one, other);
  EXPECT_TRUE((*found)[0].exceeds(0));
  EXPECT_FALSE((*found)[0].exceeds(1e-9));
}

TEST(CompareTraces, NumbersThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Trace one = {{"a", 1, {1, infinity, NAN}}};
  EXPECT_EQ((*compareTraces(one, one))[0].most, 0);
  for (float value : {1.0f, -infinity, NAN}) {
    const Difference found = (*compareTraces(one, {{"a", 1, {1, value, NAN}}}))[0];
    EXPECT_TRUE(std::isinf(found.most));
    EXPECT_TRUE(found.exceeds(100));
    EXPECT_EQ(found.row, 1);
  }
}

TEST(CompareTraces, OtherTensors) {
  EXPECT_EQ(compareTraces(kTrace, {kTrace[0]}).status().message(), "tensor 'b': missing");
  EXPECT_EQ(compareTraces({kTrace[1]}, {{"b", 2, {1, 2}}}).status().message(),
            "tensor 'b': has 1 rows of 2 numbers, expected 2 of 1");
}

TEST(RunTrace, AProgramWithoutOne) {
  FakeModel model = makeFakeModel();
  absl::Status status = runTrace(*model.executable, {1, 2}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "the program has no entry 'trace'");
}

} // namespace
