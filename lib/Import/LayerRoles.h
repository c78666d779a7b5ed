//===- LayerRoles.h - what the tensors of a layer are ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_IMPORT_LAYERROLES_H
#define QUENCH_LIB_IMPORT_LAYERROLES_H

#include "HyperParameters.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir::quench {

/// Row-major.
SmallVector<int64_t> shapeOf(LayerRole role, const HyperParameters &parameters);

/// What is added to the result of `role`, in families where it is.
std::optional<LayerRole> biasOf(LayerRole role);

/// Rows of a tensor that serves several roles.
struct Part {
  LayerRole whole;
  int64_t offset, rows;
  /// What a tensor for this role alone is called in other families.
  StringRef name;
};

/// Of which tensor `role` is a part in families that have no tensor for it alone.
std::optional<Part> partOf(LayerRole role, const HyperParameters &parameters);

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_LAYERROLES_H
