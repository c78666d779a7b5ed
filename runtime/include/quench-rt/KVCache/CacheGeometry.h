//===- CacheGeometry.h - what one page of a cache holds -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A page holds `slots` consecutive positions of a sequence: for every layer and then
// every head, first the keys as [dim][slots], then the values as [slots][dim] (see
// qrt_cache_view in abi.h).
//
// Where bytes of a single position are handed in or out they are in an order that does
// not depend on pages: for every layer and then every head, `dim` key elements, then
// `dim` value elements.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_KVCACHE_CACHEGEOMETRY_H
#define QUENCH_RT_KVCACHE_CACHEGEOMETRY_H

#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>

namespace qrt {

class CacheGeometry {
public:
  /// `elementBytes` is 2 or 4. InvalidArgument, naming the number at fault, if one is
  /// not positive or a page would exceed 1 GiB.
  static absl::StatusOr<CacheGeometry> create(int64_t layers, int64_t heads, int64_t dim,
                                              int64_t slots, int64_t elementBytes);

  int64_t slots() const { return numSlots; }

  /// Bytes of a page: layers · heads · dim · slots · 2 · elementBytes.
  size_t pageBytes() const { return positionBytes() * static_cast<size_t>(numSlots); }

  /// Bytes of a position.
  size_t positionBytes() const {
    return static_cast<size_t>(numLayers * numHeads * headDim * 2 * bytesPerElement);
  }

  /// Pages that `positions` positions occupy.
  int64_t pagesFor(int64_t positions) const { return (positions + numSlots - 1) / numSlots; }

  /// Gathers the position at `slot` of a page into `positionBytes()` bytes.
  void readPosition(const uint8_t *page, int64_t slot, uint8_t *out) const;

  /// The reverse of readPosition.
  void writePosition(uint8_t *page, int64_t slot, const uint8_t *in) const;

private:
  CacheGeometry() = default;
  /// Calls `move(offset in the page, offset in the position, bytes)` for each
  /// contiguous part of a position.
  template <typename Fn> void forEachPart(int64_t slot, Fn move) const;

  int64_t numLayers = 0, numHeads = 0, headDim = 0, numSlots = 0, bytesPerElement = 0;
};

} // namespace qrt

#endif // QUENCH_RT_KVCACHE_CACHEGEOMETRY_H
