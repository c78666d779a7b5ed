//===- Rowwise.cpp - norms, rope, gated activation -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Reference.h"

using namespace quench::reference;

/// Sum of a row in eight lanes, then three additions of lanes. A term is added at most
/// once in each group of eight and three times more; `extra` counts the rounding that
/// made it.
static Bounded sumOfRow(const BoundedRow &terms, double extra) {
  double sum = 0.0, magnitude = 0.0, inherited = 0.0;
  for (const Bounded &term : terms) {
    sum += term.value;
    magnitude += std::fabs(term.value) + term.error;
    inherited += term.error;
  }
  double groups = std::ceil(double(terms.size()) / 8.0);
  Bounded result = accumulated(sum, magnitude, groups + 3.0 + extra, double(terms.size()));
  result.error += inherited;
  return result;
}

/// Mean of squares, epsilon, square root, reciprocal.
static Bounded inverseDeviation(const BoundedRow &x, float eps) {
  BoundedRow squares;
  for (const Bounded &v : x) {
    // The rounding of the square is counted in the sum: it may be fused with it.
    double error = 2.0 * std::fabs(v.value) * v.error + v.error * v.error;
    squares.push_back({v.value * v.value, error});
  }
  Bounded mean = div(sumOfRow(squares, 1.0), exact(double(x.size())));
  return div(exact(1.0), sqrt(add(mean, exact(eps))));
}

BoundedRow quench::reference::rmsNorm(const Row &x, const Row &weight, float eps) {
  BoundedRow values;
  for (float v : x)
    values.push_back(exact(v));
  Bounded scale = inverseDeviation(values, eps);
  BoundedRow result;
  for (size_t k = 0; k < x.size(); ++k)
    result.push_back(mul(mul(values[k], scale), exact(weight[k])));
  return result;
}

BoundedRow quench::reference::layerNorm(const Row &x, const Row &weight, const Row &bias,
                                        float eps) {
  BoundedRow values;
  for (float v : x)
    values.push_back(exact(v));
  Bounded mean = div(sumOfRow(values, 0.0), exact(double(x.size())));
  for (Bounded &v : values)
    v = sub(v, mean);
  Bounded scale = inverseDeviation(values, eps);
  BoundedRow result;
  for (size_t k = 0; k < x.size(); ++k) {
    Bounded y = mul(mul(values[k], scale), exact(weight[k]));
    result.push_back(bias.empty() ? y : add(y, exact(bias[k])));
  }
  return result;
}

/// Within one unit in the last place, as quench.rope promises.
static Bounded oneUlp(double value) {
  int exponent = value == 0.0 ? -149 : std::ilogb(value) - 23;
  return {value, std::ldexp(1.0, std::max(exponent, -149))};
}

BoundedRow quench::reference::rope(const Row &x, int32_t position, int64_t dim, bool adjacent,
                                   const Row &inverseFrequencies) {
  BoundedRow result;
  for (float v : x)
    result.push_back(exact(v));
  auto half = int64_t(inverseFrequencies.size());
  for (int64_t head = 0; head < int64_t(x.size()); head += dim) {
    for (int64_t i = 0; i < half; ++i) {
      float angle = float(position) * inverseFrequencies[i];
      Bounded cosine = oneUlp(std::cos(double(angle))), sine = oneUlp(std::sin(double(angle)));
      int64_t first = head + (adjacent ? 2 * i : i), second = adjacent ? first + 1 : first + half;
      Bounded u = exact(x[first]), v = exact(x[second]);
      result[first] = sub(mul(u, cosine), mul(v, sine));
      result[second] = add(mul(v, cosine), mul(u, sine));
    }
  }
  return result;
}

BoundedRow quench::reference::gated(const Row &gate, const Row &up) {
  BoundedRow result;
  for (size_t k = 0; k < gate.size(); ++k) {
    Bounded denominator = add(exp(exact(-double(gate[k])), kExpUlps), exact(1.0));
    result.push_back(mul(div(exact(gate[k]), denominator), exact(up[k])));
  }
  return result;
}

BoundedRow quench::reference::gatedGelu(const Row &gate, const Row &up) {
  BoundedRow result;
  double factor = 2.0 * std::sqrt(2.0 / M_PI);
  // Constants that were rounded once.
  auto constant = [](double value) { return rounded(value, 0.0); };
  for (size_t k = 0; k < gate.size(); ++k) {
    double g = gate[k];
    Bounded square = mul(exact(g), exact(g));
    Bounded slope = add(mul(square, constant(-factor * 0.044715)), constant(-factor));
    Bounded denominator = add(exp(mul(exact(g), slope), kExpUlps), exact(1.0));
    Bounded gelu = div(exact(g), denominator);
    // Where the exponential may be beyond the largest f32 number, the quotient may be 0.
    if (denominator.value + denominator.error >= kLargest)
      gelu.error = std::fabs(g) * 0x1.01p-128 + kTiny;
    // Without the rounded constants, and without the cancellation of 1 + tanh.
    gelu.value = g / (1.0 + std::exp(-factor * (g + 0.044715 * g * g * g)));
    result.push_back(mul(gelu, exact(up[k])));
  }
  return result;
}
