//===- Architectures.cpp - the list of families ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Architectures/Families.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quench;

static const ArchitectureDescription *const families[] = {
    &llamaArchitecture, &gemma3Architecture, &gpt2Architecture,
    &phi3Architecture,  &qwen2Architecture,  &qwen3Architecture,
};

bool ArchitectureDescription::has(LayerRole role) const {
  return llvm::any_of(layerTensors, [&](const LayerTensor &tensor) { return tensor.role == role; });
}

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
