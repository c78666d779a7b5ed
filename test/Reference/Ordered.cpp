//===- Ordered.cpp - results to the bit ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Ordered.h"

#include "Blocks.h"

#include "quench-rt/Formats/Float16.h"

using namespace quench::reference;

static float multiplyAdd(float a, float b, float c, bool fused) {
  if (fused)
    return std::fma(a, b, c);
  float product = a * b;
  return product + c;
}

static float integerRow(const QuantizedRow &x, qrt::Format format, const uint8_t *row, bool fused) {
  float sum = 0.0f;
  for (size_t b = 0; b < x.scales.size(); ++b) {
    WeightBlock w = weightBlock(format, row, b);
    int32_t products = 0, minima = 0;
    for (int i = 0; i < 32; ++i) {
      products += w.factor[i / 16] * w.codes[i] * x.codes[32 * b + i];
      minima += w.minimumFactor[i / 16] * x.codes[32 * b + i];
    }
    if (w.hasMinimumFactors)
      sum = multiplyAdd(float(minima), w.minimum * x.scales[b], sum, fused);
    else if (w.hasMinimum)
      sum = multiplyAdd(w.minimum, x.sums[b], sum, fused);
    sum = multiplyAdd(float(products), w.scale * x.scales[b], sum, fused);
  }
  return sum;
}

Row quench::reference::orderedLinear(const Row &x, const Weight &weight, Activations activations,
                                     bool fused) {
  bool integers =
      activations == Activations::I8 && qrt::formatInfo(weight.format).blockElements > 1;
  QuantizedRow codes = integers ? quantize(x) : QuantizedRow();
  size_t bytes = qrt::rowBytes(weight.format, weight.columns);
  Row result;
  for (int64_t n = 0; n < weight.rows; ++n) {
    if (integers) {
      result.push_back(integerRow(codes, weight.format, weight.bytes.data() + n * bytes, fused));
      continue;
    }
    Row w = weight.decodedRow(n);
    float sum = 0.0f;
    for (size_t k = 0; k < x.size(); ++k)
      sum = multiplyAdd(w[k], x[k], sum, fused);
    result.push_back(sum);
  }
  return result;
}

/// Eight lanes over ascending elements, then ((0+4)+(2+6)) + ((1+5)+(3+7)).
template <typename Step> static float sumLanes(const Row &x, Step step) {
  float lane[8] = {};
  for (size_t k = 0; k < x.size(); ++k)
    lane[k % 8] = step(x[k], lane[k % 8]);
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static float inverseDeviation(const Row &x, float eps, bool fused) {
  float squares = sumLanes(x, [&](float v, float sum) { return multiplyAdd(v, v, sum, fused); });
  return 1.0f / std::sqrt(squares / float(x.size()) + eps);
}

Row quench::reference::orderedRmsNorm(const Row &x, const Row &weight, float eps, bool fused) {
  float scale = inverseDeviation(x, eps, fused);
  Row result;
  for (size_t k = 0; k < x.size(); ++k)
    result.push_back((x[k] * scale) * weight[k]);
  return result;
}

Row quench::reference::orderedLayerNorm(const Row &x, const Row &weight, const Row &bias, float eps,
                                        bool fused) {
  float mean = sumLanes(x, [](float v, float sum) { return sum + v; }) / float(x.size());
  Row centred;
  for (float v : x)
    centred.push_back(v - mean);
  Row result = orderedRmsNorm(centred, weight, eps, fused);
  for (size_t k = 0; k < bias.size(); ++k)
    result[k] += bias[k];
  return result;
}

bool quench::reference::sameNumber(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || qrt::bitsOf(a) == qrt::bitsOf(b);
}
