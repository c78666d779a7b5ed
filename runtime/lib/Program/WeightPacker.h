//===- WeightPacker.h - canonical bytes into their places -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_PROGRAM_WEIGHTPACKER_H
#define QUENCH_RT_LIB_PROGRAM_WEIGHTPACKER_H

#include "quench-rt/Program/Descriptor.h"
#include "quench-rt/Program/WeightSource.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qrt {

/// Packs weights of a library from a source, whose every tensor has been held against
/// what the library expects.
class WeightPacker {
public:
  /// InvalidArgument, naming file and tensor, if a tensor has another format or shape.
  static absl::StatusOr<WeightPacker> create(const WeightSource &source,
                                             absl::Span<const WeightSpec> weights);

  /// Packs everything: weight i to `base + offsets[i]`, on `threads` threads.
  void packAll(uint8_t *base, absl::Span<const size_t> offsets, int threads) const;

  /// Packs one weight to `to`.
  void packOne(size_t weight, uint8_t *to) const;

private:
  /// Rows of one canonical tensor that are packed together.
  struct Piece {
    size_t weight;
    const uint8_t *data;
    int64_t rows;
    int64_t firstRow; ///< in the packed tensor
  };

  explicit WeightPacker(absl::Span<const WeightSpec> weights) : weights(weights) {}
  void addPieces(size_t index, const CanonicalWeight &tensor);
  void packPiece(const Piece &piece, uint8_t *to) const;

  absl::Span<const WeightSpec> weights;
  std::vector<Piece> pieces;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_PROGRAM_WEIGHTPACKER_H
