//===- Architectures.cpp - the list of families ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Architectures/Families.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quench;

static const ArchitectureDescription *const families[] = {
    &llamaArchitecture,
};

const ArchitectureDescription *mlir::quench::findArchitecture(StringRef name) {
  for (const ArchitectureDescription *family : families)
    if (family->name == name)
      return family;
  return nullptr;
}

std::string mlir::quench::supportedArchitectures() {
  return llvm::join(
      llvm::map_range(families, [](const ArchitectureDescription *family) { return family->name; }),
      ", ");
}
