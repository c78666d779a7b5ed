//===- KVCache.h - pages of keys and values, shared between sequences -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A KVCache owns pages; a Sequence is a list of them and a length. A step goes:
//
//   QRT_RETURN_IF_ERROR(sequence.reserve(rows));  // pages present and writable
//   … compiled code appends and sets sequence.view()->length …
//   QRT_RETURN_IF_ERROR(sequence.truncate(n));    // if less is to be kept
//
// Forking shares pages: they are reference counted and copied when one of the
// sharers is about to write ("copy on write"), the partly filled last page included.
// The idea of a paged cache: Kwon et al., "Efficient Memory Management for Large
// Language Model Serving with PagedAttention", 2023.
//
// A page that nobody uses is kept for the next sequence, cleared before it is handed
// out. Under AddressSanitizer its bytes are poisoned meanwhile.
//
// A cache and its sequences are for one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_KVCACHE_KVCACHE_H
#define QUENCH_RT_KVCACHE_KVCACHE_H

#include "quench-rt/Device/Device.h"
#include "quench-rt/KVCache/CacheGeometry.h"
#include "quench-rt/abi.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qrt {

class KVCache;

/// One sequence of tokens in a cache. Frees its pages when it goes; must not outlive
/// its cache.
class Sequence {
public:
  Sequence(Sequence &&other) noexcept
      : cache(std::exchange(other.cache, nullptr)), ids(std::move(other.ids)),
        pages(std::move(other.pages)), state(other.state) {}
  Sequence &operator=(Sequence &&other) noexcept;
  Sequence(const Sequence &) = delete;
  Sequence &operator=(const Sequence &) = delete;
  ~Sequence() { clear(); }

  /// Committed positions.
  int64_t length() const { return state.length; }

  /// The sequence as compiled code sees it; its `length` may be raised up to
  /// `capacity`, which commits. Valid until the next call of a member.
  qrt_cache_view *view() {
    state.pages = pages.data();
    return &state;
  }

  /// Makes the pages for `count` more positions present and writable and sets the
  /// capacity to length + count. OutOfRange beyond the context length,
  /// ResourceExhausted if the cache has no pages left; then nothing has changed.
  absl::Status reserve(int64_t count);

  /// Appends positions from bytes in the order of CacheGeometry.h; the size must be a
  /// multiple of positionBytes(). Fails as `reserve` does.
  absl::Status append(absl::Span<const uint8_t> positions);

  /// Keeps the first `length` positions, which must not be more than there are, and
  /// frees the pages beyond. Nothing is left reserved.
  absl::Status truncate(int64_t length);

  /// A second sequence with the same committed positions. Neither has anything
  /// reserved afterwards.
  Sequence fork();

  /// Frees all pages: length 0.
  void clear();

  /// Copies the committed positions [first, first + count) out, in the order of
  /// CacheGeometry.h. OutOfRange if there are fewer.
  absl::StatusOr<std::vector<uint8_t>> read(int64_t first, int64_t count) const;

  /// Content hash of what `read(0, count)` gives. Equal for equal positions however
  /// they came to be.
  absl::StatusOr<std::string> hashCommitted(int64_t count) const;

private:
  friend class KVCache;
  explicit Sequence(KVCache *cache) : cache(cache) {}

  KVCache *cache;
  std::vector<uint32_t> ids; ///< pages in the order of positions, as the cache counts them
  std::vector<void *> pages; ///< their addresses
  qrt_cache_view state = {nullptr, 0, 0};
};

struct KVCacheOptions {
  /// The most positions of a sequence; positive.
  int64_t contextLength = 0;
  /// The most pages of all sequences together; 0 for what one sequence of
  /// contextLength needs. Memory is taken as pages are first used.
  int64_t maxPages = 0;
};

class KVCache {
public:
  /// `device` gives the memory and must outlive the cache.
  static absl::StatusOr<std::unique_ptr<KVCache>>
  create(Device &device, const CacheGeometry &geometry, const KVCacheOptions &options);

  KVCache(const KVCache &) = delete;
  KVCache &operator=(const KVCache &) = delete;
  /// All sequences must be gone.
  ~KVCache();

  /// An empty sequence.
  Sequence newSequence() { return Sequence(this); }

  const CacheGeometry &geometry() const { return shape; }
  int64_t contextLength() const { return maxLength; }
  int64_t maxPages() const { return limit; }

  /// Pages that sequences use, shared ones counted once.
  int64_t pagesInUse() const { return static_cast<int64_t>(references.size() - free.size()); }

  /// Memory taken from the device so far.
  size_t allocatedBytes() const;

private:
  friend class Sequence;
  KVCache(Device &device, const CacheGeometry &geometry, int64_t maxLength, int64_t limit)
      : device(device), shape(geometry), maxLength(maxLength), limit(limit) {}

  /// Appends `count` unshared, cleared pages to `ids`, or none and an error.
  absl::Status acquire(int64_t count, std::vector<uint32_t> &ids);
  absl::Status grow();
  void release(uint32_t id);
  uint8_t *address(uint32_t id) const { return addresses[id]; }

  Device &device;
  CacheGeometry shape;
  int64_t maxLength;
  int64_t limit;
  std::vector<std::unique_ptr<Buffer>> slabs; ///< several pages each
  std::vector<uint8_t *> addresses;           ///< of each page
  std::vector<uint32_t> references;           ///< to each page; 0 if it is free
  std::vector<bool> used;                     ///< whether its bytes may not be zero
  std::vector<uint32_t> free;                 ///< free pages, last freed last
};

} // namespace qrt

#endif // QUENCH_RT_KVCACHE_KVCACHE_H
