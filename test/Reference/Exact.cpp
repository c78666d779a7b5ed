//===- Exact.cpp - quantize, argmax, embedding -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace quench::reference;

Row Weight::decodedRow(int64_t n) const {
  Row row(columns);
  qrt::decodeRow(format, bytes.data() + n * qrt::rowBytes(format, columns), row.data(), columns);
  return row;
}

// The definition is in f32, so this is, too; every operation rounds once.
QuantizedRow quench::reference::quantize(const Row &x) {
  QuantizedRow result;
  for (size_t first = 0; first < x.size(); first += 32) {
    float largest = 0.0f;
    bool number = true;
    for (size_t i = first; i < first + 32; ++i) {
      number &= !std::isnan(x[i]);
      largest = std::max(largest, std::fabs(x[i]));
    }
    if (!number)
      largest = std::numeric_limits<float>::quiet_NaN();
    float scale = largest / 127.0f, inverse = largest >= 0x1p-100f ? 127.0f / largest : 0.0f;
    int32_t total = 0;
    for (size_t i = first; i < first + 32; ++i) {
      // Unspecified in a block that is not finite.
      int32_t code = std::isfinite(largest) ? int32_t(std::nearbyintf(x[i] * inverse)) : 0;
      result.codes.push_back(int8_t(code));
      total += code;
    }
    result.scales.push_back(scale);
    result.sums.push_back(scale * float(total));
  }
  return result;
}

std::pair<int32_t, float> quench::reference::argmax(const Row &x) {
  size_t best = x.size();
  for (size_t i = 0; i < x.size(); ++i)
    if (!std::isnan(x[i]) && (best == x.size() || x[i] > x[best]))
      best = i;
  if (best == x.size())
    return {0, -std::numeric_limits<float>::infinity()};
  return {int32_t(best), x[best]};
}

Row quench::reference::embedding(int32_t id, const Weight &weight) {
  return weight.decodedRow(std::clamp<int64_t>(id, 0, weight.rows - 1));
}
