//===- OptMain.h - mlir-opt's main, for files with a seal ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_PROGRAM_OPTMAIN_H
#define QUENCH_PROGRAM_OPTMAIN_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

namespace mlir::quench {

/// What upstream's MlirOptMain does, with the project's rule for bytecode: input is
/// checked as in ProgramFile.h, so that a package's program can be opened and damaged
/// bytecode is refused, and bytecode that is written (--emit-bytecode) gets a seal.
LogicalResult optMain(int argc, char **argv, StringRef toolName, DialectRegistry &registry);

} // namespace mlir::quench

#endif // QUENCH_PROGRAM_OPTMAIN_H
