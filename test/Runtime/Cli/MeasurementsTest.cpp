//===- MeasurementsTest.cpp - median and deviation -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Measurements.h"

#include "gtest/gtest.h"

using namespace qrt::cli;

namespace {

Measurements of(std::initializer_list<double> values) {
  Measurements result;
  for (double value : values)
    result.add(value);
  return result;
}

TEST(Measurements, Median) {
  EXPECT_EQ(of({}).median(), 0);
  EXPECT_EQ(of({3}).median(), 3);
  EXPECT_EQ(of({9, 1, 2}).median(), 2);
  EXPECT_EQ(of({4, 1, 2, 9}).median(), 3);
}

TEST(Measurements, DeviationIsThatOfASample) {
  EXPECT_EQ(of({}).deviation(), 0);
  EXPECT_EQ(of({5}).deviation(), 0);
  EXPECT_DOUBLE_EQ(of({2, 4, 4, 4, 5, 5, 7, 9}).deviation(), std::sqrt(32.0 / 7));
}

} // namespace
