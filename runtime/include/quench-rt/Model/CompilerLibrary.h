//===- CompilerLibrary.h - the compiler, opened when it is needed ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The compiler is a shared library in the folder of the program or library that this code
// is part of, or in ../lib as seen from there. With it come LLVM and MLIR, so it is opened
// only when something has to be compiled. Requests and responses are JSON; their members
// are described in the compiler's header quench-c/Compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_COMPILERLIBRARY_H
#define QUENCH_RT_MODEL_COMPILERLIBRARY_H

#include "absl/status/statusor.h"

#include "nlohmann/json.hpp"

#include <string>

namespace qrt {

/// Where the compiler is expected.
absl::StatusOr<std::string> compilerPath();

/// Identifies the compiler that would be opened, without opening it: the build ID in its
/// file. Empty if there is none. Code made by another compiler is compiled again.
std::string compilerIdentity();

/// Has the compiler handle a request, in a child process: its memory is gone afterwards,
/// and should it crash that is an error like others. Its diagnosis becomes the message
/// of an error. The child is a fork and starts no other program: in a process with threads
/// nothing but memory and the dynamic loader is used in it, which glibc keeps usable.
absl::StatusOr<nlohmann::json> callCompiler(const nlohmann::json &request);

} // namespace qrt

#endif // QUENCH_RT_MODEL_COMPILERLIBRARY_H
