//===- TraceFiles.h - traces as folders of arrays -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each tensor is a file NAME.npy of shape [tokens, N] in f32, so that a reference in any language
// can write one, or read one.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_TRACEFILES_H
#define QUENCH_RT_LIB_CLI_TRACEFILES_H

#include "quench-rt/Decode/Trace.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <string>

namespace qrt::cli {

/// Into a folder that does not exist yet, or is empty.
absl::Status writeTrace(const std::string &folder, const Trace &trace);

/// Those tensors of `like` that the folder has; NotFound if it has none.
absl::StatusOr<Trace> readTrace(const std::string &folder, const Trace &like);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_TRACEFILES_H
