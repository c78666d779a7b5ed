//===- Passes.h - passes between quench and upstream dialects ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_CONVERSION_PASSES_H
#define QUENCH_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::quench {
#define GEN_PASS_DECL
#include "quench/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quench/Conversion/Passes.h.inc"
} // namespace mlir::quench

#endif // QUENCH_CONVERSION_PASSES_H
