//===- Errors.h - how failures reach the user -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_ERRORS_H
#define QUENCH_RT_LIB_CLI_ERRORS_H

#include "quench-rt/Support/ExitStatus.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace qrt::cli {

/// A mistake in the command line that only the command itself can see.
absl::Status usageError(absl::string_view message);

/// The compiler cannot be had, the disk is full and the like.
absl::Status environmentError(absl::string_view message);

ExitStatus exitStatusOf(const absl::Status &status);

/// One line on standard error, "quench-run: error: …". Line ends inside the message
/// become "; ", so that it stays one line whatever a file put into it.
void printError(absl::string_view message);

/// "quench-run: note: …": something that is not as it should be and does no harm.
void printNote(absl::string_view message);

/// Names a file or an option in front of a message: "CONTEXT: MESSAGE".
absl::Status withContext(const absl::Status &status, absl::string_view context);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_ERRORS_H
