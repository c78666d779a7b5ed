//===- Errors.h - who is at fault, kept with a status ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_ERRORS_H
#define QUENCH_RT_SUPPORT_ERRORS_H

#include "quench-rt/Support/ExitStatus.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace qrt {

/// A mistake in what was asked for: options, arguments of a call.
absl::Status usageError(absl::string_view message);

/// The compiler cannot be had, the disk is full and the like.
absl::Status environmentError(absl::string_view message);

/// By the kind if it is one of those above, otherwise by the code.
ExitStatus exitStatusOf(const absl::Status &status);

/// Names a file or an option in front of a message: "CONTEXT: MESSAGE".
absl::Status withContext(const absl::Status &status, absl::string_view context);

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_ERRORS_H
