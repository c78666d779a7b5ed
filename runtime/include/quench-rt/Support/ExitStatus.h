//===- ExitStatus.h - who is at fault, as a number ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Exit statuses of quench-run, and what quench_compile returns (quench-c/Compiler.h).
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_EXITSTATUS_H
#define QUENCH_RT_SUPPORT_EXITSTATUS_H

#include "absl/status/status.h"

namespace qrt {

enum class ExitStatus : int {
  Success = 0,
  Input = 1,       ///< something was wrong with a model, a file or a text
  Usage = 2,       ///< something was wrong with the command line or a request
  Environment = 3, ///< memory, cache folder, missing compiler; or a mistake of ours
};

/// By the code alone, which does not tell usage from input.
inline ExitStatus exitStatusOf(absl::StatusCode code) {
  switch (code) {
  case absl::StatusCode::kOk:
    return ExitStatus::Success;
  case absl::StatusCode::kInternal:
  case absl::StatusCode::kUnknown:
  case absl::StatusCode::kUnavailable:
  case absl::StatusCode::kResourceExhausted:
    return ExitStatus::Environment;
  default:
    return ExitStatus::Input;
  }
}

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_EXITSTATUS_H
