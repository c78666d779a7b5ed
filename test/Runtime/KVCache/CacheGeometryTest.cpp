//===- CacheGeometryTest.cpp - where a position lies in a page ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/KVCache/CacheGeometry.h"

#include "gtest/gtest.h"

#include <cstring>
#include <numeric>
#include <vector>

using namespace qrt;

namespace {

// Writes out the sentence of abi.h: layer, head, keys [dim][slots], values [slots][dim].
TEST(CacheGeometry, PositionsAreGatheredBySlot) {
  constexpr int kLayers = 2, kHeads = 3, kDim = 4, kSlots = 5;
  auto geometry = CacheGeometry::create(kLayers, kHeads, kDim, kSlots, 4);
  ASSERT_TRUE(geometry.ok());
  ASSERT_EQ(geometry->pageBytes(), size_t(kLayers * kHeads * kDim * kSlots * 2 * 4));
  ASSERT_EQ(geometry->positionBytes(), size_t(kLayers * kHeads * kDim * 2 * 4));

  std::vector<uint32_t> page(geometry->pageBytes() / 4);
  std::iota(page.begin(), page.end(), 0u);
  auto *bytes = reinterpret_cast<uint8_t *>(page.data());
  std::vector<uint32_t> got(geometry->positionBytes() / 4);
  for (int slot = 0; slot < kSlots; ++slot) {
    geometry->readPosition(bytes, slot, reinterpret_cast<uint8_t *>(got.data()));
    size_t at = 0;
    for (int layer = 0; layer < kLayers; ++layer)
      for (int head = 0; head < kHeads; ++head) {
        uint32_t base = uint32_t(layer * kHeads + head) * 2 * kDim * kSlots;
        for (int d = 0; d < kDim; ++d)
          EXPECT_EQ(got[at++], base + uint32_t(d * kSlots + slot));
        for (int d = 0; d < kDim; ++d)
          EXPECT_EQ(got[at++], base + uint32_t(kDim * kSlots + slot * kDim + d));
      }
    EXPECT_EQ(at, got.size());
  }
}

TEST(CacheGeometry, WriteThenReadTouchesOneSlotOnly) {
  auto geometry = CacheGeometry::create(1, 2, 6, 4, 2);
  ASSERT_TRUE(geometry.ok());
  std::vector<uint8_t> page(geometry->pageBytes(), 0xEE), in(geometry->positionBytes()), out(in);
  std::iota(in.begin(), in.end(), uint8_t(1));
  geometry->writePosition(page.data(), 2, in.data());
  geometry->readPosition(page.data(), 2, out.data());
  EXPECT_EQ(in, out);
  for (int slot : {0, 1, 3}) {
    geometry->readPosition(page.data(), slot, out.data());
    EXPECT_EQ(out, std::vector<uint8_t>(out.size(), 0xEE)) << "slot " << slot;
  }
}

TEST(CacheGeometry, PagesFor) {
  auto geometry = CacheGeometry::create(1, 1, 1, 4, 2);
  ASSERT_TRUE(geometry.ok());
  EXPECT_EQ(geometry->pagesFor(0), 0);
  EXPECT_EQ(geometry->pagesFor(1), 1);
  EXPECT_EQ(geometry->pagesFor(4), 1);
  EXPECT_EQ(geometry->pagesFor(5), 2);
}

TEST(CacheGeometry, ImpossibleShapesAreNamed) {
  auto message = [](int64_t layers, int64_t heads, int64_t dim, int64_t slots, int64_t bytes) {
    return std::string(CacheGeometry::create(layers, heads, dim, slots, bytes).status().message());
  };
  EXPECT_EQ(message(0, 1, 1, 1, 2), "cache with 0 layers: expected at least 1");
  EXPECT_EQ(message(1, -3, 1, 1, 2), "cache with -3 heads: expected at least 1");
  EXPECT_EQ(message(1, 1, 1, 1, 3), "cache elements of 3 bytes: expected 2 or 4");
  EXPECT_EQ(message(INT64_MAX, INT64_MAX, 64, 16, 2),
            "cache pages of 9223372036854775807 layers, 9223372036854775807 heads, dim 64 and "
            "16 slots: expected at most 1073741824 bytes");
}

} // namespace
