//===- LayerSelection.h - a model without some of its layers ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_IMPORT_LAYERSELECTION_H
#define QUENCH_LIB_IMPORT_LAYERSELECTION_H

#include "ModelWeights.h"

#include "absl/status/status.h"

namespace mlir::quench {

/// Keeps the layers of a list such as "0-11,15-29": numbers and ranges, ascending, counted from
/// 0 as in the file. InvalidArgument for any other list.
absl::Status selectLayers(StringRef list, HyperParameters &parameters, ModelWeights &weights);

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_LAYERSELECTION_H
