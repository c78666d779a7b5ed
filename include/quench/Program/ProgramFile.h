//===- ProgramFile.h - programs on disk: text, or bytecode with a checksum -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A package's program.mlirbc is MLIR bytecode with a seal (see quench-rt/Program/Seal.h).
// Upstream's bytecode reader is not made for damaged input, so bytecode is parsed only
// after its seal was found to be right, and bytecode without one is refused. Text needs
// none.
//
//===----------------------------------------------------------------------===//
#ifndef QUENCH_PROGRAM_PROGRAMFILE_H
#define QUENCH_PROGRAM_PROGRAMFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace mlir::quench {

inline constexpr size_t kMaxNesting = 500;
/// Operators of one affine expression; those of models have about three.
inline constexpr size_t kMaxOperators = 1000;

/// What the MLIR parser may see of a file: text as it is; bytecode without its seal
/// once that was found to be right. The parser recurses, so text whose brackets are nested
/// deeper than kMaxNesting is refused as well. The result may refer to `buffer`'s memory. `name` is
/// for messages: "NAME: what was found, what was expected".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
checkProgram(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef name);

/// Opens, checks and parses a file; null if that fails, then diagnostics of the context
/// say why, in lines that name the file. Locations have names (see LayerNames.h).
OwningOpRef<ModuleOp> readProgram(MLIRContext &context, StringRef path);

/// The bytes of a program.mlirbc: bytecode and seal. The same module gives the same
/// bytes.
llvm::Expected<std::string> programBytes(ModuleOp program);

/// The program's key, a hash of what compiled code depends on: the program without the hashes of
/// its weights' contents, without its name and without locations.
std::string programKey(ModuleOp program);

} // namespace mlir::quench

#endif // QUENCH_PROGRAM_PROGRAMFILE_H
