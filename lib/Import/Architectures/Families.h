//===- Families.h - the descriptions of the families -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_IMPORT_ARCHITECTURES_FAMILIES_H
#define QUENCH_LIB_IMPORT_ARCHITECTURES_FAMILIES_H

#include "ArchitectureDescription.h"

namespace mlir::quench {

extern const ArchitectureDescription gemma3Architecture;
extern const ArchitectureDescription gpt2Architecture;
extern const ArchitectureDescription llamaArchitecture;
extern const ArchitectureDescription phi3Architecture;
extern const ArchitectureDescription qwen2Architecture;
extern const ArchitectureDescription qwen3Architecture;

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_ARCHITECTURES_FAMILIES_H
