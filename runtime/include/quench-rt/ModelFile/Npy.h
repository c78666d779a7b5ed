//===- Npy.h - NumPy array files ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The .npy format as NumPy's documentation (numpy.lib.format) defines it, versions 1
// to 3, for little-endian arrays of six element types in C order.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODELFILE_NPY_H
#define QUENCH_RT_MODELFILE_NPY_H

#include "quench-rt/Support/MappedFile.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qrt {

enum class NpyType : uint8_t { F32, F16, I32, I64, I8, U8 };

size_t npyTypeSize(NpyType type);
/// "f32", "f16", "i32", "i64", "i8", "u8".
std::string_view npyTypeName(NpyType type);

/// An array that was read: mapped, its bytes aligned as the file has them (64 bytes
/// where NumPy or this library wrote it).
struct NpyArray {
  NpyType type = NpyType::F32;
  std::vector<int64_t> shape; ///< row-major; empty for a scalar; sizes may be 0
  const uint8_t *data = nullptr;
  size_t bytes = 0;
  MappedFile file; ///< owns the data
};

/// Reads a file. InvalidArgument if it is no such file, is damaged, has bytes missing
/// or left over; Unimplemented for other element types, byte orders or Fortran order.
absl::StatusOr<NpyArray> readNpy(const std::string &path);
/// The same for a file that is mapped already.
absl::StatusOr<NpyArray> parseNpy(MappedFile file);

/// Writes an array (version 1) under a temporary name, then renames. `data` holds the
/// product of `shape` elements.
absl::Status writeNpy(const std::string &path, NpyType type, absl::Span<const int64_t> shape,
                      const void *data);

} // namespace qrt

#endif // QUENCH_RT_MODELFILE_NPY_H
