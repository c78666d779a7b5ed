//===- QuenchOps.h - ops of the quench dialect ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHOPS_H
#define QUENCH_DIALECT_QUENCH_IR_QUENCHOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "quench/Dialect/Quench/IR/QuenchTypes.h"

namespace mlir::quench {
/// What ops that touch a cache declare their effects on.
struct CacheResource : public SideEffects::Resource::Base<CacheResource> {
  StringRef getName() final { return "QuenchCache"; }
};

/// One dimension of an operand of a block op: whole, or `scale` elements for
/// every point of domain dimension `dim`.
struct BlockDim {
  int64_t dim = -1;
  int64_t scale = 1;
  bool isWhole() const { return dim < 0; }
};
} // namespace mlir::quench

#include "quench/Dialect/Quench/IR/QuenchOpInterfaces.h.inc"

#define GET_OP_CLASSES
#include "quench/Dialect/Quench/IR/QuenchOps.h.inc"

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHOPS_H
