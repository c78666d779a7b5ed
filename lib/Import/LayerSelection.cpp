//===- LayerSelection.cpp - a model without some of its layers -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LayerSelection.h"

#include "FileErrors.h"

#include "quench-rt/Support/Status.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::quench;

static absl::Status wrong(StringRef list, int64_t layers) {
  return absl::InvalidArgumentError(
      absl::StrCat("layers: found ", qrt::quoted(toStd(list)),
                   ", expected ascending numbers and ranges from 0 to ", layers - 1, ", such as 0-",
                   (layers - 1) / 2, ",", layers - 1));
}

absl::Status mlir::quench::selectLayers(StringRef list, HyperParameters &parameters,
                                        ModelWeights &weights) {
  SmallVector<StringRef> parts;
  list.split(parts, ',');
  std::vector<LayerWeights> kept;
  std::vector<int64_t> kinds, numbers;
  for (StringRef part : parts) {
    auto [from, to] = part.split('-');
    int64_t first, last;
    if (from.getAsInteger(10, first) || (part.contains('-') ? to : from).getAsInteger(10, last) ||
        first < 0 || last < first || last >= parameters.layers ||
        (!numbers.empty() && first <= numbers.back()))
      return wrong(list, parameters.layers);
    for (int64_t layer = first; layer <= last; ++layer) {
      kept.push_back(std::move(weights.layers[layer]));
      kinds.push_back(parameters.attentionOfLayer[layer]);
      numbers.push_back(weights.numbers[layer]);
    }
  }
  weights.layers = std::move(kept);
  weights.numbers = std::move(numbers);
  parameters.attentionOfLayer = std::move(kinds);
  parameters.layers = static_cast<int64_t>(weights.layers.size());
  return absl::OkStatus();
}
