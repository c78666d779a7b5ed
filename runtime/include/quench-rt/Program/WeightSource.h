//===- WeightSource.h - canonical weights by name -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Weights lie in a GGUF file, or in a safetensors file, there in one of two ways:
//
//   quantized  a U8 tensor of canonical bytes (see Formats/Format.h), with an entry
//              "KEY": "FORMAT NxK" (or "FORMAT K") in the file's metadata, such as
//              "blk.0.attn_q.weight": "q4_1 576x576"
//   plain      an F32, F16 or BF16 tensor with its shape and no such entry
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_WEIGHTSOURCE_H
#define QUENCH_RT_PROGRAM_WEIGHTSOURCE_H

#include "quench-rt/Formats/Format.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace qrt {

struct CanonicalWeight {
  Format format = Format::F32;
  int64_t rows = 1; ///< 1 for a vector
  int64_t columns = 0;
  bool vector = false;
  /// In a mapped file: the packer gives its pages back to the system.
  const uint8_t *data = nullptr;
  size_t bytes = 0; ///< rows · rowBytes(format, columns)
};

class WeightSource {
public:
  virtual ~WeightSource() = default;

  /// NotFound, InvalidArgument or Unimplemented, naming file and tensor.
  virtual absl::StatusOr<CanonicalWeight> find(absl::string_view key) const = 0;

  /// Of the file, for messages; of the first one, if there are two.
  virtual const std::string &path() const = 0;

  /// Reads all of it.
  virtual absl::StatusOr<std::string> contentHash() const;
};

/// What the keys of a draft's weights begin with in a joined program.
inline constexpr absl::string_view kDraftPrefix = "draft.";

/// Keys that begin with kDraftPrefix are those of `draft`, without the prefix.
std::unique_ptr<WeightSource> joinWeights(std::unique_ptr<WeightSource> own,
                                          std::unique_ptr<WeightSource> draft);

/// The content hash of joined weights.
std::string joinedWeightsHash(absl::string_view own, absl::string_view draft);

/// A GGUF file, known by its first four bytes, or else a safetensors file.
absl::StatusOr<std::unique_ptr<WeightSource>> openWeights(const std::string &path);
absl::StatusOr<std::unique_ptr<WeightSource>> openGgufWeights(const std::string &path);
absl::StatusOr<std::unique_ptr<WeightSource>> openSafetensorsWeights(const std::string &path);

/// "q4_1 576x576": the metadata entry of a quantized weight in a safetensors file.
std::string weightMetadata(Format format, int64_t rows, int64_t columns, bool vector);

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_WEIGHTSOURCE_H
