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

/// What two layers of a model may do differently in attention.
struct AttentionKind {
  /// Positions that a row attends to, its own and those before; 0 for all.
  int64_t window = 0;
  /// One for each pair of a head that is rotated; none if positions are learned.
  std::vector<float> inverseFrequencies;
};

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
  /// Elements of a head that are rotated: even, at most headDim.
  int64_t rotated = 0;
  float epsilon = 0;
  /// Of the products of queries and keys.
  float attentionScale = 0;
  /// What embeddings are multiplied with.
  float embeddingScale = 1;
  std::vector<AttentionKind> attentionKinds;
  /// For each layer, which of `attentionKinds` it has.
  std::vector<int64_t> attentionOfLayer;

  int64_t queryFeatures() const { return heads * headDim; }
  int64_t cacheFeatures() const { return cacheHeads * headDim; }
};

/// Every number lies in a range in which products of two fit into 63 bits.
absl::StatusOr<HyperParameters> readHyperParameters(const qrt::GgufFile &file,
                                                    const ArchitectureDescription &architecture);

/// Optional: one f32 per pair of a head.
inline constexpr std::string_view kRopeDivisorsTensor = "rope_freqs.weight";

/// base^(-2i/rotated) for i below rotated/2, computed in double and rounded once; divided by
/// the factor of linear scaling, and by the elements of `kRopeDivisorsTensor` (what Llama 3
/// stretches its context with) if the file has it.
absl::StatusOr<std::vector<float>>
readInverseFrequencies(const qrt::GgufFile &file, const ArchitectureDescription &architecture,
                       int64_t rotated);

/// The same for windowed layers with a base of their own, `otherwise` unless the file says
/// another; without scaling.
absl::StatusOr<std::vector<float>>
readWindowFrequencies(const qrt::GgufFile &file, const ArchitectureDescription &architecture,
                      double otherwise, int64_t rotated);

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_HYPERPARAMETERS_H
