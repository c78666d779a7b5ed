//===- Emit.h - LLVM IR, object, library ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_TARGET_CPU_EMIT_H
#define QUENCH_LIB_TARGET_CPU_EMIT_H

#include "Machine.h"
#include "llvm/IR/Module.h"

namespace mlir::quench::detail {

/// Adds quench_query and what it returns; hides everything else.
void addQuery(llvm::Module &module, ArrayRef<std::string> entries, StringRef descriptor);

/// Sets target, attributes of functions and, if asked for, sanitizer passes.
LogicalResult prepare(llvm::Module &module, Machine &machine, StringRef sanitize);

/// Machine code, or assembly text.
LogicalResult emit(MLIRContext *context, llvm::Module &module, Machine &machine, bool assembly, SmallVectorImpl<char> &result);

/// Links one object into a shared library.
LogicalResult link(MLIRContext *context, StringRef object, std::string &library);

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_TARGET_CPU_EMIT_H
