//===- KVCache.cpp - pages and who uses them ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/KVCache/KVCache.h"

#include "quench-rt/Device/Poison.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace qrt;

/// Memory comes in slabs of about this size: large enough for huge pages, small
/// against what a context takes.
static constexpr size_t kSlabBytes = size_t(4) << 20;

absl::StatusOr<std::unique_ptr<KVCache>>
KVCache::create(Device &device, const CacheGeometry &geometry, const KVCacheOptions &options) {
  // Positions and pages stay below 2^31, so sums of two lengths cannot overflow.
  constexpr int64_t kMost = INT32_MAX;
  if (options.contextLength <= 0 || options.contextLength > kMost)
    return absl::InvalidArgumentError(
        absl::StrCat("context of ", options.contextLength, " positions: expected 1 to ", kMost));
  if (options.maxPages < 0 || options.maxPages > kMost)
    return absl::InvalidArgumentError(
        absl::StrCat("cache of ", options.maxPages, " pages: expected at most ", kMost));
  int64_t limit = options.maxPages ? options.maxPages : geometry.pagesFor(options.contextLength);
  return std::unique_ptr<KVCache>(new KVCache(device, geometry, options.contextLength, limit));
}

KVCache::~KVCache() { assert(pagesInUse() == 0 && "sequences must go before their cache"); }

size_t KVCache::allocatedBytes() const {
  size_t bytes = 0;
  for (const std::unique_ptr<Buffer> &slab : slabs)
    bytes += slab->size();
  return bytes;
}

absl::Status KVCache::grow() {
  const size_t stride = (shape.pageBytes() + 63) / 64 * 64 + kRedZone;
  const int64_t room = limit - static_cast<int64_t>(references.size());
  const int64_t count =
      std::min(room, std::max<int64_t>(1, static_cast<int64_t>(kSlabBytes / stride)));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> slab,
                       device.allocate(stride * static_cast<size_t>(count)));
  poisonMemory(slab->data(), slab->size());
  // From the back, so that pages are handed out in ascending order.
  for (int64_t i = count; i-- > 0;)
    free.push_back(static_cast<uint32_t>(references.size() + static_cast<size_t>(i)));
  for (int64_t i = 0; i < count; ++i)
    addresses.push_back(slab->data() + static_cast<size_t>(i) * stride);
  references.resize(addresses.size(), 0);
  used.resize(addresses.size(), false);
  slabs.push_back(std::move(slab));
  return absl::OkStatus();
}

absl::Status KVCache::acquire(int64_t count, std::vector<uint32_t> &ids) {
  if (count > limit - pagesInUse())
    return absl::ResourceExhaustedError(absl::StrCat("the cache has ", limit - pagesInUse(), " of ",
                                                     limit, " pages left, but ", count,
                                                     " are needed"));
  while (static_cast<int64_t>(free.size()) < count)
    QRT_RETURN_IF_ERROR(grow());
  for (; count > 0; --count) {
    uint32_t id = free.back();
    free.pop_back();
    references[id] = 1;
    unpoisonMemory(addresses[id], shape.pageBytes());
    // What a former sequence left could be infinite; multiplied by the zero weight of
    // a masked position it would be a NaN.
    if (used[id])
      std::memset(addresses[id], 0, shape.pageBytes());
    used[id] = true;
    ids.push_back(id);
  }
  return absl::OkStatus();
}

void KVCache::release(uint32_t id) {
  assert(references[id] > 0 && "page freed twice");
  if (--references[id])
    return;
  poisonMemory(addresses[id], shape.pageBytes());
  free.push_back(id);
}
