//===- WeightStore.h - packed weights in memory ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A compiled library lists its weights with the layout in which its kernels read them.
// The store packs the canonical bytes into one arena, and keeps a copy of the arena as
// one entry of the cache, from which later loads read. There is never a second copy in
// memory: the pages of the canonical file are given back as they have been packed. If
// the device has not enough memory the cache's entry is mapped instead of read: slower to
// compute with (no huge pages), but the system can take the memory back.
//
// The entry's key depends on the source's content hash and on every weight's name,
// format, shape and layout. The source itself is opened, and held against its content
// hash, only when there is no entry.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_WEIGHTSTORE_H
#define QUENCH_RT_PROGRAM_WEIGHTSTORE_H

#include "quench-rt/Device/Device.h"
#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Program/Descriptor.h"
#include "quench-rt/Program/WeightSource.h"

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qrt {

struct WeightStoreOptions {
  ArtifactCache *cache = nullptr; ///< null: pack each time; otherwise used during load
  /// Content hash of the source's file. Empty: not known, take it as it is (and hash
  /// it, if there is a cache, to find the key).
  std::string sourceHash;
  int threads = 2; ///< for packing and reading
  /// Maps the cache's entry even if the device would give memory for a copy.
  bool map = false;
};

class WeightStore {
public:
  using OpenSource = absl::FunctionRef<absl::StatusOr<std::unique_ptr<WeightSource>>()>;

  /// Errors name file and tensor. DataLoss if the source has another content hash than
  /// expected.
  static absl::StatusOr<std::unique_ptr<WeightStore>> load(Device &device,
                                                           const LibraryDescriptor &library,
                                                           OpenSource openSource,
                                                           const WeightStoreOptions &options);

  /// What qrt_context::weights wants; as long as the store lives.
  const void *const *pointers() const { return addresses.data(); }

  /// Bytes of the arena.
  size_t size() const { return total; }
  bool fromCache() const { return cached; }
  bool isMapped() const { return entry != nullptr; }

private:
  WeightStore() = default;

  /// Where each weight starts in the arena; sets `total`.
  std::vector<size_t> place(const std::vector<WeightSpec> &weights);
  void setBase(const uint8_t *base, const std::vector<WeightSpec> &weights,
               const std::vector<size_t> &offsets);

  std::unique_ptr<Buffer> arena;     ///< null if mapped
  std::unique_ptr<CacheEntry> entry; ///< mapped
  std::vector<const void *> addresses;
  size_t total = 0;
  bool cached = false;
};

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_WEIGHTSTORE_H
