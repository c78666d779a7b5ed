//===- QuenchTypes.h - weights and caches ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHTYPES_H
#define QUENCH_DIALECT_QUENCH_IR_QUENCHTYPES_H

#include "mlir/IR/Types.h"
#include "quench/Dialect/Quench/IR/QuenchAttrs.h"

#include "quench/Dialect/Quench/IR/QuenchTypeInterfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "quench/Dialect/Quench/IR/QuenchTypes.h.inc"

namespace mlir::quench {
/// Elements that one page keeps of one head of one layer, keys and values.
int64_t getHeadPageElements(CacheTypeInterface cache);
/// Bytes of one page.
int64_t getPageBytes(CacheTypeInterface cache);
} // namespace mlir::quench

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHTYPES_H
