//===- QuenchDialect.h - the quench dialect ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHDIALECT_H
#define QUENCH_DIALECT_QUENCH_IR_QUENCHDIALECT_H

#include "mlir/IR/Dialect.h"

#include "quench/Dialect/Quench/IR/QuenchDialect.h.inc"

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHDIALECT_H
