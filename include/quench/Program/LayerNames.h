//===- LayerNames.h - names of layers and weights in locations -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_PROGRAM_LAYERNAMES_H
#define QUENCH_PROGRAM_LAYERNAMES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::quench {

/// Adds to the location of each op what a person would call it, for messages: the keys of
/// the weights that it reads, or of an op that reads none the layers that its function is
/// called for, which is what the keys of the function's weights have in common. Layers of a
/// kind share a function, so a name may stand for several: "blk.0-29.attn_q.weight". An op
/// that has a name keeps it.
void nameLocations(ModuleOp program);

/// "3", "0-29", "0-3_5". The numbers are in order.
std::string numberRanges(ArrayRef<int64_t> numbers);

} // namespace mlir::quench

#endif // QUENCH_PROGRAM_LAYERNAMES_H
