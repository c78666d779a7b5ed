//===- Linear.cpp - a row through a linear layer ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Reference.h"

#include "quench-rt/Formats/Float16.h"

using namespace quench::reference;

namespace {

/// One output with f32 activations. Each product takes part in at most K roundings,
/// whether it is rounded itself or fused with its addition.
Bounded plainDot(const Row &x, const Row &w) {
  double sum = 0.0, magnitude = 0.0;
  for (size_t k = 0; k < x.size(); ++k) {
    double product = double(x[k]) * double(w[k]);
    sum += product;
    magnitude += std::fabs(product);
  }
  return accumulated(sum, magnitude, double(x.size()), double(x.size()));
}

/// One output with quantized activations: for each block the exact integer sum times
/// d·s, which is rounded once, and the minimum times the activation's scaled sum.
Bounded integerDot(const QuantizedRow &x, qrt::Format format, const uint8_t *row) {
  double sum = 0.0, magnitude = 0.0;
  size_t blocks = x.scales.size();
  for (size_t b = 0; b < blocks; ++b) {
    WeightBlock w = weightBlock(format, row, b);
    int products = 0, minima = 0;
    for (int i = 0; i < 32; ++i) {
      products += w.factor[i / 16] * w.codes[i] * x.codes[32 * b + i];
      minima += w.minimumFactor[i / 16] * x.codes[32 * b + i];
    }
    double product = double(products) * (double(w.scale) * double(x.scales[b]));
    double offset = w.hasMinimumFactors ? double(minima) * (double(w.minimum) * double(x.scales[b]))
                                        : double(w.minimum) * double(x.sums[b]);
    sum += product + offset;
    magnitude += std::fabs(product) + std::fabs(offset);
  }
  // d·s, the product if it is not fused, and every addition after.
  double additions = double(2 * blocks);
  // A product d·s below the normal numbers loses up to kTiny, times an integer sum
  // below 2^24.
  return accumulated(sum, magnitude, additions + 2.0, additions + double(blocks) * 0x1p24);
}

} // namespace

BoundedRow quench::reference::linear(const Row &x, const Weight &weight, Activations activations) {
  bool integers =
      activations == Activations::I8 && qrt::formatInfo(weight.format).blockElements > 1;
  size_t bytes = qrt::rowBytes(weight.format, weight.columns);
  QuantizedRow codes = integers ? quantize(x) : QuantizedRow();
  BoundedRow result;
  for (int64_t n = 0; n < weight.rows; ++n)
    result.push_back(integers ? integerDot(codes, weight.format, weight.bytes.data() + n * bytes)
                              : plainDot(x, weight.decodedRow(n)));
  return result;
}

std::vector<double> quench::reference::quantizationBound(const Row &x, const Weight &weight) {
  Row scales = quantize(x).scales;
  std::vector<double> result;
  for (int64_t n = 0; n < weight.rows; ++n) {
    Row w = weight.decodedRow(n);
    double bound = 0.0;
    // x·(127/amax) has two roundings of at most 127 before it is rounded to a code, and
    // s one; a block of codes 0 is off by all of x, which is at most 127·s.
    for (size_t k = 0; k < x.size(); ++k) {
      bool none = scales[k / 32] * 127.0f < 0x1p-99f;
      double steps = none ? 128.0 : 0.5 + 127.0 * gamma(4);
      bound += std::fabs(double(w[k])) * (double(scales[k / 32]) * steps + 128.0 * kTiny);
    }
    result.push_back(bound);
  }
  return result;
}
