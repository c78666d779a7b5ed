//===- Errors.h - how failures reach the user -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_ERRORS_H
#define QUENCH_RT_LIB_CLI_ERRORS_H

#include "quench-rt/Support/Errors.h"

#include "absl/strings/string_view.h"

namespace qrt::cli {

/// One line on standard error, "quench-run: error: …". Line ends inside the message
/// become "; ", so that it stays one line whatever a file put into it.
void printError(absl::string_view message);

/// "quench-run: note: …": something that is not as it should be and does no harm.
void printNote(absl::string_view message);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_ERRORS_H
