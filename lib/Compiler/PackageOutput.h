//===- PackageOutput.h - between models and package folders ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_COMPILER_PACKAGEOUTPUT_H
#define QUENCH_LIB_COMPILER_PACKAGEOUTPUT_H

#include "CompileRequest.h"
#include "InputModel.h"

#include "absl/status/status.h"
#include "quench-rt/Program/Package.h"

#include <string>

namespace mlir::quench {

/// Takes weights and tokenizer, and whatever the program does not say about itself, from
/// a package.
absl::Status takeFromPackage(const std::string &path, InputModel &model);

/// Holds what the program declares against what the file of the weights has: presence,
/// format, shape, and content where the program says it.
absl::Status checkWeights(const InputModel &model);

/// All of a package but its program and code. To be called before compiling, which
/// consumes the program. The result refers to nothing of `model`.
absl::StatusOr<qrt::NewPackage> describePackage(const CompileRequest &request,
                                                const InputModel &model);

} // namespace mlir::quench

#endif // QUENCH_LIB_COMPILER_PACKAGEOUTPUT_H
