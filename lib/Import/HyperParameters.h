//===- HyperParameters.h - a model's numbers, checked ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Keys as GGUF's specification names them, each prefixed by the architecture's name.
//
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_IMPORT_HYPERPARAMETERS_H
#define QUENCH_LIB_IMPORT_HYPERPARAMETERS_H

#include "ArchitectureDescription.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace qrt {
class GgufFile;
} // namespace qrt

namespace mlir::quench {

/// Positions of a page of the cache: one chunk of attention.
inline constexpr int64_t kPageSlots = 32;

struct HyperParameters {
  int64_t layers = 0;
  int64_t context = 0;
  int64_t embedding = 0;
  int64_t feedForward = 0;
  int64_t heads = 0;
  /// Divides `heads`.
  int64_t cacheHeads = 0;
  /// A multiple of 8.
  int64_t headDim = 0;
  float epsilon = 0;
  /// Of the products of queries and keys.
  float attentionScale = 0;
  /// headDim / 2 of them.
  std::vector<float> inverseFrequencies;

  int64_t queryFeatures() const { return heads * headDim; }
  int64_t cacheFeatures() const { return cacheHeads * headDim; }
};

/// Every number lies in a range in which products of two fit into 63 bits.
absl::StatusOr<HyperParameters> readHyperParameters(const qrt::GgufFile &file,
                                                    const ArchitectureDescription &architecture);

/// Optional: one f32 per pair of a head.
inline constexpr std::string_view kRopeDivisorsTensor = "rope_freqs.weight";

/// base^(-2i/dim) for i below dim/2, computed in double and rounded once; divided by
/// the factor of linear scaling, and by the elements of `kRopeDivisorsTensor` (what Llama 3
/// stretches its context with) if the file has it.
absl::StatusOr<std::vector<float>>
readInverseFrequencies(const qrt::GgufFile &file, const ArchitectureDescription &architecture,
                       int64_t headDim);

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_HYPERPARAMETERS_H
