//===- CompileRequest.h - what the caller of the compiler asks for ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_COMPILER_COMPILEREQUEST_H
#define QUENCH_LIB_COMPILER_COMPILEREQUEST_H

#include "absl/status/statusor.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir::quench {

/// The members of a request, described in quench-c/Compiler.h.
struct CompileRequest {
  std::string input;
  std::string package;
  std::string packageElse; ///< empty: none
  bool replace = false;
  int libraryDescriptor = -1; ///< -1: none
  std::string from;
  std::string weights;
  std::string draft;
  std::string draftWeights;
  std::string draftName;
  bool copyWeights = true;
  std::string activations = "i8";
  int64_t context = 0;
  std::string layers;
  std::string target = "native";
  bool portable = false;
  std::string sanitize;
  std::string dumpStages;
  std::string crashReproducer;
  std::string entries = "marked";
  bool trace = false;
  std::string weightsHash;
  std::string codeTarget;
  std::string codeOptions;
  std::string compiler;
};

/// Every error names the member. Unknown members are errors as well.
absl::StatusOr<CompileRequest> parseRequest(llvm::StringRef json);

} // namespace mlir::quench

#endif // QUENCH_LIB_COMPILER_COMPILEREQUEST_H
