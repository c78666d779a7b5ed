//===- Passes.h - passes of the CPU target ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_TARGET_CPU_PASSES_H
#define QUENCH_TARGET_CPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::quench {
#define GEN_PASS_DECL
#include "quench/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quench/Target/CPU/Passes.h.inc"
} // namespace mlir::quench

#endif // QUENCH_TARGET_CPU_PASSES_H
