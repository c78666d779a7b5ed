//===- RejectionSamplingTest.cpp - what is accepted and what replaces it --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/RejectionSampling.h"

#include "gtest/gtest.h"

#include <map>

using namespace qrt;

namespace {

TokenDistribution distribution(const std::map<int32_t, double> &weights) {
  TokenDistribution result;
  for (const auto &[token, weight] : weights) {
    result.tokens.push_back(token);
    result.weights.push_back(weight);
    result.total += weight;
  }
  return result;
}

// Weights need not add up to 1.
const TokenDistribution kTarget = distribution({{2, 1}, {3, 0.5}, {7, 0.25}, {9, 0.25}});
const TokenDistribution kDraft = distribution({{1, 0.25}, {3, 0.5}, {7, 0.125}, {9, 0.125}});

TEST(RejectionSampling, AcceptsWithTheQuotientOfTheProbabilities) {
  // 3: 0.25 of 0.5; 7: 0.125 of 0.125; 1: never in the target's text.
  EXPECT_TRUE(isAccepted(3, kTarget, kDraft, 0.499));
  EXPECT_FALSE(isAccepted(3, kTarget, kDraft, 0.501));
  EXPECT_TRUE(isAccepted(7, kTarget, kDraft, 1 - 1e-15));
  EXPECT_FALSE(isAccepted(1, kTarget, kDraft, 0));
}

TEST(RejectionSampling, DrawsWhatTheTargetHasMoreOf) {
  // Only token 2: all others are at least as likely in the draft.
  for (double uniform : {0.0, 0.5, 1 - 1e-15})
    EXPECT_EQ(drawResidual(kTarget, kDraft, uniform), 2);
  // 2 and 9 in the proportion of 0.5 and 0.125.
  const TokenDistribution other = distribution({{3, 0.75}, {7, 0.25}});
  EXPECT_EQ(drawResidual(kTarget, other, 0.79), 2);
  EXPECT_EQ(drawResidual(kTarget, other, 0.81), 9);
}

TEST(RejectionSampling, EqualDistributionsLeaveNothing) {
  for (double uniform : {0.0, 0.3, 0.6, 1 - 1e-15})
    EXPECT_EQ(drawResidual(kTarget, kTarget, uniform), kTarget.draw(uniform));
}

/// What comes out, on grids of random numbers for acceptance and residual.
std::map<int32_t, double> outcome(const TokenDistribution &p, const TokenDistribution &q) {
  constexpr int kSteps = 256;
  std::map<int32_t, double> result, residual;
  for (int step = 0; step < kSteps; ++step)
    residual[drawResidual(p, q, (step + 0.5) / kSteps)] += 1.0 / kSteps;
  for (size_t i = 0; i < q.tokens.size(); ++i)
    for (int step = 0; step < kSteps; ++step) {
      const double share = q.weights[i] / q.total / kSteps;
      if (isAccepted(q.tokens[i], p, q, (step + 0.5) / kSteps))
        result[q.tokens[i]] += share;
      else
        for (const auto &[token, part] : residual)
          result[token] += share * part;
    }
  return result;
}

TEST(RejectionSampling, TheOutcomeIsTheTargets) {
  const TokenDistribution wide = distribution({{0, 1}, {2, 0.5}, {3, 0.5}, {7, 1}, {9, 1}});
  for (const TokenDistribution *p : {&kTarget, &kDraft, &wide})
    for (const TokenDistribution *q : {&kTarget, &kDraft, &wide}) {
      double sum = 0;
      for (const auto &[token, share] : outcome(*p, *q)) {
        EXPECT_NEAR(share, p->probability(token), 5e-3) << token;
        sum += share;
      }
      EXPECT_NEAR(sum, 1, 1e-9);
    }
}

} // namespace
