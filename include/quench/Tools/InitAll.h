//===- InitAll.h - what the tools for compiler engineers know --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_TOOLS_INITALL_H
#define QUENCH_TOOLS_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::quench {

/// Upstream's dialects and extensions, and the project's.
void registerAllDialects(DialectRegistry &registry);

/// The project's passes and pipelines: what a tool lacks that has upstream's.
void registerQuenchPasses();

/// Upstream's passes and the project's.
void registerAllPasses();

} // namespace mlir::quench

#endif // QUENCH_TOOLS_INITALL_H
