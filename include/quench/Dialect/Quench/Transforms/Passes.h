//===- Passes.h - passes on the quench dialect ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_H
#define QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::quench {
#define GEN_PASS_DECL
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"
} // namespace mlir::quench

#endif // QUENCH_DIALECT_QUENCH_TRANSFORMS_PASSES_H
