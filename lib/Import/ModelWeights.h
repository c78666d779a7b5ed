//===- ModelWeights.h - the tensors that a program reads, checked ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_IMPORT_MODELWEIGHTS_H
#define QUENCH_LIB_IMPORT_MODELWEIGHTS_H

#include "HyperParameters.h"

#include "absl/status/statusor.h"
#include "quench/Dialect/Quench/IR/QuenchTypes.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::quench {

struct ModelWeight {
  /// "blk3.attn_q"
  std::string symbol;
  /// The tensor's name in the file: "blk.3.attn_q.weight".
  std::string key;
  /// Of the tensor's bytes, as qrt::contentHash writes it.
  std::string hash;
  QTensorType type;

  /// What locations call it: "blk.3.attn_q", "blk.3.attn_q.bias".
  StringRef label() const {
    StringRef name = key;
    name.consume_back(".weight");
    return name;
  }
};

/// The weights of a layer, in the order of the architecture's layer tensors.
using LayerWeights = std::vector<ModelWeight>;

struct ModelWeights {
  ModelWeight embedding;
  /// None if positions are not learned.
  std::optional<ModelWeight> positions;
  std::vector<LayerWeights> layers;
  /// Of each layer, in the file.
  std::vector<int64_t> numbers;
  ModelWeight outputNorm;
  /// None if norms have no bias.
  std::optional<ModelWeight> outputNormBias;
  /// None if the embedding serves as the head.
  std::optional<ModelWeight> head;

  int64_t vocabulary() const { return embedding.type.getShape()[0]; }
};

/// Calls `visit` with each of a model's weights, in the order of the program.
template <typename Weights, typename Function>
void forEachWeight(Weights &weights, Function visit) {
  visit(weights.embedding);
  if (weights.positions)
    visit(*weights.positions);
  for (auto &layer : weights.layers)
    for (auto &weight : layer)
      visit(weight);
  visit(weights.outputNorm);
  if (weights.outputNormBias)
    visit(*weights.outputNormBias);
  if (weights.head)
    visit(*weights.head);
}

/// Finds every tensor, checks shape and format, and hashes the bytes. A tensor that the
/// architecture does not know is refused: ignoring it would change the model's meaning.
absl::StatusOr<ModelWeights> readWeights(MLIRContext &context, const qrt::GgufFile &file,
                                         const ArchitectureDescription &architecture,
                                         const HyperParameters &parameters);

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_MODELWEIGHTS_H
