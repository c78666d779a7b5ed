//===- Safetensors.h - reading and writing safetensors files --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The safetensors format as its public documentation defines it: eight bytes of header
// length, a JSON object (name → dtype, shape, data_offsets; `__metadata__` → strings),
// then the data of all tensors without holes.
//
// The reader maps the file and takes it for hostile: the header is read by a streaming
// parser that accepts this one structure only, and every tensor's bytes must lie in the
// file, match dtype and shape, and together cover the data exactly. Element types are
// kept as the file spells them; for one that is not known here (see
// safetensorsDtypeBits) the offsets alone say how large a tensor is.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODELFILE_SAFETENSORS_H
#define QUENCH_RT_MODELFILE_SAFETENSORS_H

#include "quench-rt/Support/MappedFile.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qrt {

/// Bits of an element: BOOL, U8, I8, F8_E4M3, F8_E5M2, F8_E8M0 (8), U16, I16, F16, BF16
/// (16), U32, I32, F32 (32), U64, I64, F64, C64 (64), F4 (4), F6_E2M3, F6_E3M2 (6); 0 if
/// not known.
unsigned safetensorsDtypeBits(std::string_view dtype);

struct SafetensorsTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;    ///< row-major; empty for a scalar; sizes may be 0
  const uint8_t *data = nullptr; ///< in the mapping, aligned as the file has it
  size_t bytes = 0;
};

class SafetensorsFile {
public:
  static constexpr uint64_t kMaxHeader = 100'000'000; ///< the documentation's limit
  static constexpr size_t kMaxRank = 32;

  /// Maps and checks a file. InvalidArgument for damaged content.
  static absl::StatusOr<SafetensorsFile> open(const std::string &path);
  /// The same for a file that is mapped already.
  static absl::StatusOr<SafetensorsFile> parse(MappedFile file);

  const std::string &path() const { return file.path(); }

  /// In the order of the header.
  absl::Span<const SafetensorsTensor> tensors() const { return tensorList; }
  /// Null if absent.
  const SafetensorsTensor *find(std::string_view name) const;
  /// A tensor that has to be there.
  absl::StatusOr<const SafetensorsTensor *> get(std::string_view name) const;

  /// The strings of `__metadata__`.
  const std::map<std::string, std::string> &metadata() const { return strings; }

private:
  friend class SafetensorsHeaderReader;
  absl::Status readHeader();
  absl::Status checkTensors(const uint8_t *data, size_t available);

  MappedFile file;
  std::vector<SafetensorsTensor> tensorList;
  std::map<std::string, std::string> strings;
  std::unordered_map<std::string, size_t> index;
  std::vector<std::pair<uint64_t, uint64_t>> offsets; ///< begin, end of each tensor
};

/// Collects tensors, then writes them in the order they were added. The same calls give
/// the same bytes. The data starts on a multiple of 64 in the file.
class SafetensorsWriter {
public:
  /// Replaces an earlier value of the key. Both must be UTF-8.
  absl::Status setMetadata(std::string_view key, std::string_view value);

  /// `data` must stay valid until `write`. InvalidArgument if the name is taken or
  /// reserved, is no UTF-8, or `bytes` does not fit dtype and shape.
  absl::Status addTensor(std::string_view name, std::string_view dtype,
                         absl::Span<const int64_t> shape, const void *data, size_t bytes);

  /// Writes under a temporary name, then renames.
  absl::Status write(const std::string &path) const;

private:
  std::vector<SafetensorsTensor> tensorList;
  std::map<std::string, std::string> strings;
  std::unordered_map<std::string, size_t> index;
};

} // namespace qrt

#endif // QUENCH_RT_MODELFILE_SAFETENSORS_H
