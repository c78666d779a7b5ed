//===- Loader.cpp - from a package and its code to something that runs ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Loader.h"

#include "quench-rt/Support/Status.h"

using namespace qrt;

absl::StatusOr<std::unique_ptr<Executable>> qrt::loadProgram(Device &device, const Package &package,
                                                             absl::Span<const uint8_t> code,
                                                             const LoadOptions &options) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CompiledLibrary> library,
                       CompiledLibrary::load(device, code, package.path()));
  WeightStoreOptions storing;
  storing.cache = options.cache;
  storing.sourceHash = package.weightsHash();
  storing.threads = options.threads;
  storing.mapped = options.mapped;
  QRT_ASSIGN_OR_RETURN(
      std::unique_ptr<WeightStore> weights,
      WeightStore::load(
          device, library->descriptor(), [&] { return package.openWeights(); }, storing));
  return Executable::create(device, std::move(library), std::move(weights));
}
