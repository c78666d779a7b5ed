//===- Families.h - the descriptions of the families -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_IMPORT_ARCHITECTURES_FAMILIES_H
#define QUENCH_LIB_IMPORT_ARCHITECTURES_FAMILIES_H

#include "ArchitectureDescription.h"

namespace mlir::quench {

extern const ArchitectureDescription llamaArchitecture;

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_ARCHITECTURES_FAMILIES_H
