//===- MemoryPlanTest.cpp - what a program will need ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Program/MemoryPlan.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::test;

namespace {

TEST(MemoryPlan, OfALibrary) {
  FakeModel model = makeFakeModel();
  const LibraryDescriptor &library = model.executable->descriptor();
  const MemoryPlan plan = planMemory(library, 3);
  size_t weights = 0;
  for (const WeightSpec &weight : library.weights)
    weights += weight.bytes;
  EXPECT_GT(plan.weights, 0u);
  EXPECT_EQ(plan.weights, weights);
  EXPECT_EQ(plan.workspace, library.workspaceBytes + 3 * library.threadWorkspaceBytes);
  EXPECT_EQ(plan.logits, static_cast<uint64_t>(library.maxRows) * 32 * 4);
  EXPECT_EQ(plan.perPosition, library.caches[0].geometry.positionBytes());
  EXPECT_EQ(plan.session(10), plan.workspace + plan.logits + 10 * plan.perPosition);
}

TEST(MemoryPlan, PositionsThatFit) {
  MemoryPlan plan;
  plan.weights = 1000000; // are no part of a session
  plan.workspace = 100;
  plan.logits = 20;
  plan.perPosition = 8;
  EXPECT_EQ(plan.positionsThatFit(1000, 119), 0);
  EXPECT_EQ(plan.positionsThatFit(1000, 120), 0);
  EXPECT_EQ(plan.positionsThatFit(1000, 127), 0);
  EXPECT_EQ(plan.positionsThatFit(1000, 128), 1);
  EXPECT_EQ(plan.positionsThatFit(1000, 120 + 8 * 1000), 1000);
  EXPECT_EQ(plan.positionsThatFit(1000, UINT64_MAX), 1000);
  // The largest that there can be do not overflow.
  plan.perPosition = uint64_t(1) << 31;
  EXPECT_EQ(plan.positionsThatFit(INT32_MAX, UINT64_MAX), INT32_MAX);
  EXPECT_EQ(plan.cache(INT32_MAX), (uint64_t(1) << 31) * INT32_MAX);
  plan.perPosition = 0;
  EXPECT_EQ(plan.positionsThatFit(7, 120), 7);
}

} // namespace
