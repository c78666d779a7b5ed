//===- Diagnostics.h - the compiler's diagnostics as one line --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_COMPILER_DIAGNOSTICS_H
#define QUENCH_LIB_COMPILER_DIAGNOSTICS_H

#include "absl/status/status.h"
#include "mlir/IR/Diagnostics.h"

#include <string>

namespace mlir::quench {

/// Keeps what the context's diagnostics say while it lives: the first error as one line
/// with its place, how many there were, and where a pass failed if that was recorded.
class DiagnosticCollector {
public:
  DiagnosticCollector(MLIRContext &context, std::string file);

  /// An InvalidArgument with the first error, or with `otherwise` if there was none. Internal if
  /// a pass failed without an error of its own, as one that crashes.
  absl::Status status(StringRef otherwise) const;

private:
  std::string file;
  std::string first;
  std::string failedPass; ///< upstream's note about it and its reproducer
  unsigned errors = 0;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::quench

#endif // QUENCH_LIB_COMPILER_DIAGNOSTICS_H
