//===- Reference.h - what each model op means, slowly ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The descriptions of the dialect's ops (QuenchModelOps.td), executed in double
// precision, one row at a time: by row independence there is nothing else to
// execute. Results come with the bound that the description allows (Bounded.h),
// or are exact where it leaves no choice.
//
// For tests only. Needs the format table and the standard library.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_REFERENCE_REFERENCE_H
#define QUENCH_TEST_REFERENCE_REFERENCE_H

#include "Bounded.h"
#include "quench-rt/Formats/Format.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace quench::reference {

using Row = std::vector<float>;
using BoundedRow = std::vector<Bounded>;

/// The largest error of the exponential in compiled code, in units in the last place.
inline constexpr double kExpUlps = 2.0;

/// N×K (or K, with rows == 1) in canonical bytes.
struct Weight {
  qrt::Format format = qrt::Format::F32;
  int64_t rows = 1, columns = 0;
  std::vector<uint8_t> bytes;

  /// Row n, decoded as the format's definition says.
  Row decodedRow(int64_t n) const;
};

//===----------------------------------------------------------------------===//
// quantize, argmax, embedding: exact
//===----------------------------------------------------------------------===//

/// A row in blocks of 32, as quench.quantize defines it.
struct QuantizedRow {
  std::vector<int8_t> codes;
  Row scales, sums;
};
QuantizedRow quantize(const Row &x);

/// The lowest index among the largest values, and that value. NaN never wins.
std::pair<int32_t, float> argmax(const Row &x);

/// Row `id` of the weight, an id outside clamped into it.
Row embedding(int32_t id, const Weight &weight);

//===----------------------------------------------------------------------===//
// linear
//===----------------------------------------------------------------------===//

enum class Activations { F32, I8 };

/// One row through a linear layer. With I8 the result is that of the quantized row
/// (float formats multiply f32 all the same); see `quantizationBound` for how far that
/// is from the product with x itself.
BoundedRow linear(const Row &x, const Weight &weight, Activations activations);

/// How much rounding x to codes may change each output beside the errors of `linear`:
/// half a step for each element, weighted.
std::vector<double> quantizationBound(const Row &x, const Weight &weight);

//===----------------------------------------------------------------------===//
// Norms, rope, gated activation
//===----------------------------------------------------------------------===//

/// Of one group of elements, which may be the whole row.
BoundedRow rmsNorm(const Row &x, const Row &weight, float eps);
/// The same; `bias` may be empty.
BoundedRow layerNorm(const Row &x, const Row &weight, const Row &bias, float eps);

/// Heads of `dim` elements side by side, of which the first 2·|inverseFrequencies| are
/// rotated.
BoundedRow rope(const Row &x, int32_t position, int64_t dim, bool adjacent,
                const Row &inverseFrequencies);

/// gate / (1 + exp(−gate)) · up, written as element-wise maths.
BoundedRow gated(const Row &gate, const Row &up);
/// The same with gate/2 · (1 + tanh(√(2/π)·(gate + 0.044715·gate³))). Importers write it as
/// gate / (1 + exp(gate · (−a·gate² − b))), and the bound is of that.
BoundedRow gatedGelu(const Row &gate, const Row &up);

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Keys and values of one layer, rounded to the element type of the cache.
class KeyValues {
public:
  KeyValues(int64_t heads, int64_t dim, bool half) : heads(heads), dim(dim), half(half) {}

  /// Stores a row of heads·dim keys and one of values at a position.
  void append(int64_t position, const Row &key, const Row &value);

  /// One row of query heads over positions 0 … position, or with a positive `window` over
  /// the last so many of them. `slots` is the number of positions in a page; only the
  /// bound depends on it.
  BoundedRow attend(const Row &query, int64_t position, float scale, int64_t slots,
                    int64_t window) const;

private:
  BoundedRow attendHead(const float *query, int64_t head, int64_t begin, int64_t end, float scale,
                        int64_t slots) const;

  int64_t heads, dim;
  bool half;
  std::vector<Row> keys, values;
};

} // namespace quench::reference

#endif // QUENCH_TEST_REFERENCE_REFERENCE_H
