//===- InputModel.h - what is to be compiled, whatever it came as ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_COMPILER_INPUTMODEL_H
#define QUENCH_LIB_COMPILER_INPUTMODEL_H

#include "CompileRequest.h"

#include "absl/status/statusor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <string>

namespace mlir::quench {

struct InputModel {
  OwningOpRef<ModuleOp> program;
  /// The GGUF or safetensors file that has the weights; empty if the program has none.
  std::string weights;
  /// The same for the weights of a draft; empty if there is none.
  std::string draftWeights;
  std::string tokenizer; ///< JSON as in a package; empty: none
  /// What a package says about the model, for programs that do not say it.
  std::string name;
  std::string architecture;
  int64_t context = 0;
};

/// Loads the request's input and what belongs to it. The program is verified, has @round
/// if it is a language model, and its entries are marked.
absl::StatusOr<InputModel> loadInput(MLIRContext &context, const CompileRequest &request);

/// Ops and attributes that a program may have; anything else is an error that names it.
LogicalResult checkOps(ModuleOp program);

} // namespace mlir::quench

#endif // QUENCH_LIB_COMPILER_INPUTMODEL_H
