//===- CompilerLibrary.h - the compiler, opened when it is needed ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The compiler is a shared library beside the tool, in ../lib as seen from the program's
// folder. With it come LLVM and MLIR, so it is opened only when something has to be
// compiled. Requests and responses are JSON; their members
// are described in the compiler's header quench-c/Compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_COMPILERLIBRARY_H
#define QUENCH_RT_LIB_CLI_COMPILERLIBRARY_H

#include "nlohmann/json.hpp"

#include "absl/status/statusor.h"

#include <string>

namespace qrt::cli {

/// Where the compiler is expected.
absl::StatusOr<std::string> compilerPath();

/// Identifies the compiler that would be opened, without opening it: the build ID in its
/// file. Empty if there is none. Code made by another compiler is compiled again.
std::string compilerIdentity();

/// Has the compiler handle a request, in a child process: its memory is gone afterwards,
/// and should it crash that is an error like others. Its diagnosis becomes the message
/// of an error. To be called before the process has threads.
absl::StatusOr<nlohmann::json> callCompiler(const nlohmann::json &request);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_COMPILERLIBRARY_H
