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

/// Sets target and attributes of functions; instruments if `sanitize` is not empty.
void prepare(llvm::Module &module, Machine &machine, StringRef sanitize);

/// Adds LLVM's sanitizer for "address" or "thread". Afterwards the module is to be
/// emitted as a whole: it has constructors, and kernels refer to private data.
void instrument(llvm::Module &module, StringRef sanitizer);

/// Machine code, or assembly text; false if the target has none.
bool emitFile(llvm::Module &module, llvm::TargetMachine &machine, bool assembly,
              SmallVectorImpl<char> &result);

/// Machine code of each of `kernels` and of the rest, on as many threads as the
/// host has; reports the time of each kernel. Changes the linkage of kernels.
LogicalResult emitParts(MLIRContext *context, llvm::Module &module, Machine &machine,
                        ArrayRef<std::string> kernels,
                        SmallVectorImpl<SmallVector<char, 0>> &objects, CompileReport &report);

/// Links objects into a shared library. Fails if that would call anything outside
/// itself but memcpy, memset and, if `sanitize` is not empty, a sanitizer's runtime.
LogicalResult link(MLIRContext *context, ArrayRef<SmallVector<char, 0>> objects, StringRef sanitize,
                   std::string &library);

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_TARGET_CPU_EMIT_H
