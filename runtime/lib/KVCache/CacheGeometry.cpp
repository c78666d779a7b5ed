//===- CacheGeometry.cpp - what one page of a cache holds -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/KVCache/CacheGeometry.h"

#include "quench-rt/Limits.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <cstring>

using namespace qrt;

absl::StatusOr<CacheGeometry> CacheGeometry::create(int64_t layers, int64_t heads, int64_t dim,
                                                    int64_t slots, int64_t elementBytes) {
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {{"layers", layers}, {"heads", heads}, {"dim", dim}, {"slots", slots}};
  int64_t bytes = 2 * elementBytes;
  if (elementBytes != 2 && elementBytes != 4)
    return absl::InvalidArgumentError(
        absl::StrCat("cache elements of ", elementBytes, " bytes: expected 2 or 4"));
  for (const auto &number : numbers) {
    if (number.value <= 0)
      return absl::InvalidArgumentError(
          absl::StrCat("cache with ", number.value, " ", number.name, ": expected at least 1"));
    // Dividing first, so that the product cannot overflow.
    if (number.value > kMaxPageBytes / bytes)
      return absl::InvalidArgumentError(
          absl::StrCat("cache pages of ", layers, " layers, ", heads, " heads, dim ", dim, " and ",
                       slots, " slots: expected at most ", kMaxPageBytes, " bytes"));
    bytes *= number.value;
  }
  CacheGeometry geometry;
  geometry.numLayers = layers;
  geometry.numHeads = heads;
  geometry.headDim = dim;
  geometry.numSlots = slots;
  geometry.bytesPerElement = elementBytes;
  return geometry;
}

template <typename Fn> void CacheGeometry::forEachPart(int64_t slot, Fn move) const {
  const size_t element = static_cast<size_t>(bytesPerElement);
  const size_t row = static_cast<size_t>(headDim) * element;     // of values
  const size_t column = static_cast<size_t>(numSlots) * element; // of keys
  const size_t half = static_cast<size_t>(headDim * numSlots) * element;
  const size_t at = static_cast<size_t>(slot);
  size_t page = 0, position = 0;
  for (int64_t head = 0; head < numLayers * numHeads; ++head) {
    for (int64_t d = 0; d < headDim; ++d, position += element)
      move(page + static_cast<size_t>(d) * column + at * element, position, element);
    move(page + half + at * row, position, row);
    position += row;
    page += 2 * half;
  }
}

void CacheGeometry::readPosition(const uint8_t *page, int64_t slot, uint8_t *out) const {
  forEachPart(slot, [&](size_t from, size_t to, size_t bytes) {
    std::memcpy(out + to, page + from, bytes);
  });
}

void CacheGeometry::writePosition(uint8_t *page, int64_t slot, const uint8_t *in) const {
  forEachPart(slot, [&](size_t to, size_t from, size_t bytes) {
    std::memcpy(page + to, in + from, bytes);
  });
}
