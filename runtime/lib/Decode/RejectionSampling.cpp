//===- RejectionSampling.cpp - a proposed token, or another in its place --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/RejectionSampling.h"

#include <algorithm>

using namespace qrt;

bool qrt::isAccepted(int32_t proposed, const TokenDistribution &p, const TokenDistribution &q,
                     double uniform) {
  // As a product, which a q of 0 does not break.
  return uniform * q.probability(proposed) < p.probability(proposed);
}

int32_t qrt::drawResidual(const TokenDistribution &p, const TokenDistribution &q, double uniform) {
  TokenDistribution residual;
  residual.tokens = p.tokens;
  residual.weights.resize(p.tokens.size());
  size_t other = 0;
  for (size_t i = 0; i < p.tokens.size(); ++i) {
    while (other < q.tokens.size() && q.tokens[other] < p.tokens[i])
      ++other;
    const bool both = other < q.tokens.size() && q.tokens[other] == p.tokens[i];
    const double taken = both ? q.weights[other] / q.total : 0;
    residual.weights[i] = std::max(0.0, p.weights[i] / p.total - taken);
    residual.total += residual.weights[i];
  }
  // Nothing is left where p and q differ by rounding only.
  return (residual.total > 0 ? residual : p).draw(uniform);
}
