//===- CPUTarget.h - from a program to a shared library ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_TARGET_CPU_CPUTARGET_H
#define QUENCH_TARGET_CPU_CPUTARGET_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <utility>
#include <vector>

namespace mlir::quench {

struct CPUTargetOptions {
  /// "native", or a name that LLVM knows, such as x86-64-v2 or znver3.
  std::string cpu = "native";
  /// Empty: the host's.
  std::string triple;
  /// Expands the inner tile portably even where there is a tuned one.
  bool portable = false;
  /// "address" or "thread" instruments the emitted code; empty otherwise.
  std::string sanitize;
  /// For tests: leaves out the barrier of this number, counted from 0 in the order of
  /// the code after stage `threads`, to show that its absence is noticed.
  int64_t dropBarrier = -1;
  /// A folder for the IR after each stage, LLVM IR and assembly; empty: none.
  std::string dumpDir;
  /// A file for the IR before a pass that fails or crashes, with its pipeline
  /// (`quench-opt --run-reproducer`); empty: none. Takes a context without threads.
  std::string crashReproducer;
};

struct CompileReport {
  std::vector<std::pair<std::string, double>> stages;  ///< name, milliseconds
  std::vector<std::pair<std::string, double>> kernels; ///< name, milliseconds of code generation
  int64_t barriers = 0; ///< in the code of all functions, the one left out included
};

/// Fails with a diagnostic if there is no such processor.
LogicalResult checkTarget(MLIRContext *context, const CPUTargetOptions &options);

/// Compiles quench IR on tensors into the bytes of an ELF shared library with the
/// single export quench_query (see quench-rt/abi.h). `program` is consumed. Errors
/// are diagnostics of its context.
LogicalResult compileToLibrary(ModuleOp program, const CPUTargetOptions &options,
                               std::string &sharedObject, CompileReport &report);

/// Adds the entry point @round (see quench-add-speculation). `crashReproducer` as above.
LogicalResult addSpeculation(ModuleOp program, StringRef source, int64_t max,
                             StringRef crashReproducer = "");

/// Leaves the program the entry point @trace alone (see quench-add-trace).
LogicalResult addTrace(ModuleOp program, StringRef crashReproducer = "");

/// Makes `draft` part of the program (see quench-join-draft).
LogicalResult joinDraft(ModuleOp program, OwningOpRef<ModuleOp> draft);

/// Everything that a program or its compilation uses.
void registerDialects(DialectRegistry &registry);

} // namespace mlir::quench

#endif // QUENCH_TARGET_CPU_CPUTARGET_H
