//===- Machine.h - the processor that code is generated for ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_TARGET_CPU_MACHINE_H
#define QUENCH_LIB_TARGET_CPU_MACHINE_H

#include "quench/Target/CPU/CPUTarget.h"
#include "quench/Target/CPU/Pipeline.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace mlir::quench::detail {

struct Machine {
  std::unique_ptr<llvm::TargetMachine> target;
  std::string tile; ///< form of the inner tile
  bool fma = false, f16 = false;

  /// "TRIPLE/CPU/TILE", then what the options ask for beside: the descriptor's target.
  std::string describe(const CPUTargetOptions &options) const;
  /// Instruction sets and the like that code may use, by LLVM's names.
  std::vector<std::string> features() const;
};

FailureOr<Machine> createMachine(MLIRContext *context, const CPUTargetOptions &options);

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_TARGET_CPU_MACHINE_H
