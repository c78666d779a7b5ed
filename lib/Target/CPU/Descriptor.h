//===- Descriptor.h - what a library says of itself ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_TARGET_CPU_DESCRIPTOR_H
#define QUENCH_LIB_TARGET_CPU_DESCRIPTOR_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::quench::detail {

/// Collects the descriptor of quench-rt/abi.h while the module is lowered: entry
/// signatures from the program, weights and sizes from the lowered module.
class Descriptor {
public:
  /// Before any lowering.
  LogicalResult addProgram(ModuleOp program);
  /// While kernels are still called by name.
  void addKernels(ModuleOp module);
  /// After the last stage; `original` types of weights come from addProgram.
  LogicalResult addLowered(ModuleOp lowered);

  std::vector<std::string> entries; ///< in the descriptor's order
  std::vector<std::string> kernels; ///< functions that are compiled on their own
  llvm::json::Object json;

private:
  struct Weight {
    std::string key, format;
    SmallVector<int64_t> shape;
    Attribute formatAttr;
  };
  llvm::StringMap<Weight> weights;
};

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_TARGET_CPU_DESCRIPTOR_H
