//===- Executable.h - code, weights and scratch memory, ready to run ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_EXECUTABLE_H
#define QUENCH_RT_PROGRAM_EXECUTABLE_H

#include "quench-rt/Device/Device.h"
#include "quench-rt/Program/CompiledLibrary.h"
#include "quench-rt/Program/WeightStore.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qrt {

/// One step at a time: the scratch memory is shared.
class Executable {
public:
  /// Borrows the device, which must outlive the executable.
  static absl::StatusOr<std::unique_ptr<Executable>>
  create(Device &device, std::unique_ptr<CompiledLibrary> library,
         std::unique_ptr<WeightStore> weights);

  Device &device() const { return *runsOn; }
  const LibraryDescriptor &descriptor() const { return library->descriptor(); }
  const WeightStore &weights() const { return *weightStore; }

  /// An entry that has to be there, with exactly these arguments and results, each
  /// written as describe() writes it. NotFound or FailedPrecondition otherwise. In an
  /// expected text a dimension `*` stands for any.
  absl::StatusOr<size_t> entry(absl::string_view name, absl::Span<const absl::string_view> args,
                               absl::Span<const absl::string_view> results) const;

  /// Runs an entry on arguments and results as abi.h describes them. `callbacks` answers
  /// requests for drafts; null: there are none.
  absl::Status run(size_t entry, absl::Span<qrt_tensor> args,
                   HostCallbacks *callbacks = nullptr) const;

private:
  Executable() = default;

  Device *runsOn = nullptr;
  std::unique_ptr<CompiledLibrary> library;
  std::unique_ptr<WeightStore> weightStore;
  std::unique_ptr<Buffer> workspace;
};

/// A dense array for call().
struct HostTensor {
  ElementType element = ElementType::F32;
  std::vector<int64_t> dims; ///< empty for a scalar
  std::vector<uint8_t> bytes;
};

/// Runs an entry that takes tensors and scalars only, on any values. InvalidArgument if
/// number, element type or shape of the inputs do not match, naming the argument.
absl::StatusOr<std::vector<HostTensor>> call(const Executable &executable, absl::string_view entry,
                                             absl::Span<const HostTensor> inputs);

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_EXECUTABLE_H
