//===- Reduction.h - how quench-reduce makes programs smaller --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_TOOLS_REDUCTION_H
#define QUENCH_TOOLS_REDUCTION_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::quench {

/// Upstream's reducer erases functions, and ops without uses. With this it also tries to put
/// in place of an op of the dialect one of its operands, where each result finds one of its type.
void registerReductionPatterns(DialectRegistry &registry);

} // namespace mlir::quench

#endif // QUENCH_TOOLS_REDUCTION_H
