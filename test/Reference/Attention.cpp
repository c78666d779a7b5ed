//===- Attention.cpp - softmax over a cache --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The value is the plain softmax. The bound follows the online form that the op
// describes: positions in pages, a running maximum M, and a factor exp(M − M') on
// everything so far when it grows. Write s for scores, m for the last maximum and w =
// exp(s − m) for weights, so that the largest weight is about 1.
//
//  - A score is a sum of `dim` products, then one product with the scale: `es`.
//  - The exponents that make up one weight, (s − M) and the (M − M') after it, have the
//    same sign and add up to s − m, so their roundings add up to at most u·(m − s). An
//    error in m itself is common to numerator and denominator and cancels.
//  - One weight is the product of at most pages + 1 exponentials.
//  - Weights below the smallest f32 number vanish: `lost` for each.
//  - A weight joins the denominator through the lanes of its page and once per page,
//    the numerator through one fused multiply-add per position and one product per page.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "quench-rt/Formats/Float16.h"

#include <algorithm>

using namespace quench::reference;

void KeyValues::append(int64_t position, const Row &key, const Row &value) {
  auto round = [&](Row row) {
    for (float &v : row)
      v = half ? qrt::halfToFloat(qrt::floatToHalf(v)) : v;
    return row;
  };
  size_t size = std::max<size_t>(keys.size(), size_t(position) + 1);
  keys.resize(size);
  values.resize(size);
  keys[position] = round(key);
  values[position] = round(value);
}

BoundedRow KeyValues::attendHead(const float *query, int64_t head, int64_t begin, int64_t end,
                                 float scale, int64_t slots) const {
  int64_t count = end - begin, first = head * dim;
  double pages = double((end - 1) / slots - begin / slots + 1), factor = scale;
  BoundedRow scores;
  double maximum = -std::numeric_limits<double>::infinity(), worst = 0.0;
  for (int64_t i = begin; i < end; ++i) {
    double sum = 0.0, magnitude = 0.0;
    for (int64_t d = 0; d < dim; ++d) {
      double product = double(query[d]) * double(keys[i][first + d]);
      sum += product;
      magnitude += std::fabs(product);
    }
    Bounded dot = accumulated(sum, magnitude, double(dim), double(dim));
    scores.push_back(mul(dot, exact(factor)));
    maximum = std::fmax(maximum, scores.back().value);
    worst = std::fmax(worst, scores.back().error);
  }

  double lost = (pages + 2.0) * 0x1p-148, inPage = double(slots) / 8.0 + 3.0;
  double total = 0.0, totalError = 0.0;
  std::vector<double> weights, relative;
  for (const Bounded &score : scores) {
    double distance = maximum - score.value;
    double exponent = score.error + kUnit * (distance + 2.0 * worst);
    weights.push_back(std::exp(-distance));
    relative.push_back(
        std::expm1(exponent + (pages + 1.0) * kExpUlps * 2.0 * kUnit + pages * kUnit));
    total += weights.back();
    totalError += weights.back() * (relative.back() + gamma(inPage + pages)) + lost;
  }

  BoundedRow result;
  for (int64_t d = 0; d < dim; ++d) {
    double sum = 0.0, error = 0.0;
    for (int64_t i = 0; i < count; ++i) {
      double value = values[begin + i][first + d];
      sum += weights[i] * value;
      error += weights[i] * std::fabs(value) * (relative[i] + gamma(double(count) + 2.0)) +
               std::fabs(value) * lost + kTiny;
    }
    // Second-order terms of the products of small errors.
    result.push_back(div({sum, error * 1.001}, {total, totalError * 1.001}));
  }
  return result;
}

BoundedRow KeyValues::attend(const Row &query, int64_t position, float scale, int64_t slots,
                             int64_t window) const {
  int64_t end = position + 1, begin = window ? std::max<int64_t>(end - window, 0) : 0;
  BoundedRow result;
  int64_t queryHeads = int64_t(query.size()) / dim, group = queryHeads / heads;
  for (int64_t head = 0; head < queryHeads; ++head) {
    BoundedRow part = attendHead(query.data() + head * dim, head / group, begin, end, scale, slots);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}
