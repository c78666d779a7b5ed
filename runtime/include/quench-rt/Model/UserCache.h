//===- UserCache.h - the cache folder as the environment names it ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_USERCACHE_H
#define QUENCH_RT_MODEL_USERCACHE_H

#include "quench-rt/Model/Listener.h"
#include "quench-rt/Program/ArtifactCache.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>

namespace qrt {

/// The cache's limit in bytes: $QUENCH_CACHE_LIMIT (such as "20G"), else 20 GB.
absl::StatusOr<uint64_t> cacheLimit();

/// The user's cache. Entries that have to be ignored are noted.
absl::StatusOr<std::unique_ptr<ArtifactCache>> openUserCache(const Listener &listener);

/// The same for what can do without: if there can be no such folder, that is noted.
absl::StatusOr<std::unique_ptr<ArtifactCache>> openUserCacheIfPossible(const Listener &listener);

} // namespace qrt

#endif // QUENCH_RT_MODEL_USERCACHE_H
