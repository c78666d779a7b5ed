//===- MemoryLimitsTest.cpp - what fits into the memory there is ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "MemoryLimits.h"

#include "quench-rt/Support/Errors.h"

#include "gtest/gtest.h"

#include <string>

using namespace qrt;

namespace {

class MemoryLimits : public testing::Test {
protected:
  MemoryLimits() {
    plan.weights = 5000;
    plan.workspace = 300;
    plan.logits = 200;
    plan.perPosition = 10;
    listener.note = [this](absl::string_view line) { notes += std::string(line) + "\n"; };
  }

  MemoryPlan plan;
  Listener listener;
  std::string notes;
};

TEST_F(MemoryLimits, WeightsAreMappedWhereACopyDoesNotFit) {
  EXPECT_FALSE(mustMapWeights(plan, 5510, listener));
  EXPECT_EQ(notes, "");
  EXPECT_TRUE(mustMapWeights(plan, 5509, listener));
  EXPECT_EQ(notes, "the weights (5.0 kB) do not fit into the 5.5 kB of memory that are available: "
                   "they are mapped from the cache, which is slower\n");
  EXPECT_TRUE(mustMapWeights(plan, 0, {}));
}

TEST_F(MemoryLimits, AContextThatFits) {
  EXPECT_EQ(*fitContext(plan, 1500, 0, "--context", 100, listener), 100);
  EXPECT_EQ(*fitContext(plan, 1500, 7, "--context", 100, listener), 7);
  EXPECT_EQ(notes, "");
}

TEST_F(MemoryLimits, TheModelsContextIsCut) {
  EXPECT_EQ(*fitContext(plan, 1000, 0, "--context", 100, listener), 50);
  EXPECT_EQ(notes, "the context is limited to 50 tokens: 100 would need 1.5 kB (cache 1.0 kB, "
                   "workspace 300 B, logits 200 B), and 1.0 kB are available\n");
}

TEST_F(MemoryLimits, WhatWasAskedForIsRefused) {
  absl::Status status = fitContext(plan, 1000, 80, "--context", 100, listener).status();
  EXPECT_EQ(exitStatusOf(status), ExitStatus::Environment);
  EXPECT_EQ(status.message(),
            "--context: not enough memory: 80 tokens need 1.3 kB (cache 800 B, workspace 300 B, "
            "logits 200 B), and 1.0 kB are available; expected at most 50");
  status = fitContext(plan, 509, 0, "--context", 100, listener).status();
  EXPECT_EQ(exitStatusOf(status), ExitStatus::Environment);
  EXPECT_NE(status.message().find("too little for any number of tokens"), absl::string_view::npos);
  EXPECT_EQ(notes, "");
}

} // namespace
