//===- Gguf.h - reading GGUF files ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// GGUF versions 2 and 3, little-endian, as the public specification in the ggml
// project (docs/gguf.md) describes them: a header, typed metadata, tensor
// descriptions, then aligned tensor data.
//
// The file is mapped and taken for hostile. `open` checks everything that is later
// relied on: magic, version, counts against the bytes that are left, string lengths,
// array nesting, duplicate names, alignment, shapes, and that each tensor's bytes lie
// inside the file and overlap no other's. It allocates less than a small multiple of
// the file's size. A file without tensors (a vocabulary) is fine.
//
// Messages: "PATH: ITEM: what was found, what was expected".
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODELFILE_GGUF_H
#define QUENCH_RT_MODELFILE_GGUF_H

#include "quench-rt/Formats/Format.h"
#include "quench-rt/ModelFile/GgufValue.h"
#include "quench-rt/Support/MappedFile.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace qrt {

/// A tensor of the file. `name` and `data` point into the mapping.
struct GgufTensor {
  static constexpr size_t kMaxRank = 4;

  std::string_view name;
  uint32_t ggmlType = 0;
  uint32_t rank = 0;                        ///< 1 to 4
  std::array<int64_t, kMaxRank> sizes = {}; ///< row-major, slowest first; all positive
  const uint8_t *data = nullptr;
  /// Size of the data. For a type that the format table lacks, the size is not known:
  /// then everything up to the next tensor or the file's end.
  size_t bytes = 0;

  /// Row-major shape, the reverse of the file's order: [N, K] for a weight that maps K
  /// inputs to N outputs, each row contiguous.
  absl::Span<const int64_t> shape() const { return {sizes.data(), rank}; }
  int64_t columns() const { return sizes[rank - 1]; }
  int64_t rows() const {
    int64_t product = 1;
    for (uint32_t i = 0; i + 1 < rank; ++i)
      product *= sizes[i];
    return product;
  }
};

struct GgufMetadata {
  std::string_view key;
  GgufValue value;
};

class GgufFile {
public:
  /// More entries than these are refused.
  static constexpr uint64_t kMaxMetadata = 1 << 16;
  static constexpr uint64_t kMaxTensors = 1 << 20;
  /// Longest key or tensor name, in bytes (the specification's limit for keys).
  static constexpr uint64_t kMaxName = 65535;
  /// Arrays of arrays deeper than this are refused.
  static constexpr int kMaxArrayDepth = 4;

  /// Maps and checks a file. InvalidArgument for damaged content; see MappedFile::open
  /// for the rest.
  static absl::StatusOr<GgufFile> open(const std::string &path);
  /// The same for a file that is mapped already.
  static absl::StatusOr<GgufFile> parse(MappedFile file);

  const std::string &path() const { return file.path(); }
  uint32_t version() const { return formatVersion; }
  uint64_t alignment() const { return dataAlignment; }
  /// The whole mapped file.
  absl::Span<const uint8_t> contents() const { return {file.data(), file.size()}; }

  /// Entries in file order.
  absl::Span<const GgufMetadata> metadata() const { return entries; }
  absl::Span<const GgufTensor> tensors() const { return tensorList; }

  /// Null if absent.
  const GgufValue *find(std::string_view key) const;
  const GgufTensor *findTensor(std::string_view name) const;

  /// Metadata that has to be there: NotFound names the key, InvalidArgument says which
  /// type was found. Integers must fit. getFloat takes an integer as well; getFloats takes
  /// arrays of floats only.
  absl::StatusOr<int64_t> getInt(std::string_view key) const;
  absl::StatusOr<double> getFloat(std::string_view key) const;
  absl::StatusOr<bool> getBool(std::string_view key) const;
  absl::StatusOr<std::string_view> getString(std::string_view key) const;
  absl::StatusOr<std::vector<std::string_view>> getStrings(std::string_view key) const;
  absl::StatusOr<std::vector<int64_t>> getInts(std::string_view key) const;
  absl::StatusOr<std::vector<float>> getFloats(std::string_view key) const;

  /// Metadata that may be absent; present with another type is still an error.
  absl::StatusOr<int64_t> getIntOr(std::string_view key, int64_t otherwise) const;
  absl::StatusOr<double> getFloatOr(std::string_view key, double otherwise) const;
  absl::StatusOr<bool> getBoolOr(std::string_view key, bool otherwise) const;
  absl::StatusOr<std::string_view> getStringOr(std::string_view key,
                                               std::string_view otherwise) const;

  /// A tensor that has to be there.
  absl::StatusOr<const GgufTensor *> getTensor(std::string_view name) const;

  /// The tensor's format. Unimplemented if the table lacks it: names tensor, type and
  /// what is supported.
  absl::StatusOr<Format> formatOf(const GgufTensor &tensor) const;

private:
  friend class GgufParser;

  MappedFile file;
  uint32_t formatVersion = 0;
  uint64_t dataAlignment = 32;
  std::vector<GgufMetadata> entries;
  std::vector<GgufTensor> tensorList;
  std::unordered_map<std::string_view, size_t> entryIndex;
  std::unordered_map<std::string_view, size_t> tensorIndex;
};

} // namespace qrt

#endif // QUENCH_RT_MODELFILE_GGUF_H
