//===- CacheEntryFormat.h - entries on disk: bytes, then a trailer --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_PROGRAM_CACHEENTRYFORMAT_H
#define QUENCH_RT_LIB_PROGRAM_CACHEENTRYFORMAT_H

#include "quench-rt/Program/ArtifactCache.h"

#include <memory>
#include <string>

namespace qrt {

/// Opens an entry and checks its trailer. NotFound if there is no file, DataLoss if it
/// is not what it should be.
absl::StatusOr<std::unique_ptr<CacheEntry>>
openCacheEntry(const std::string &path, ArtifactKind kind, absl::string_view key);

/// Starts an entry at `path`. `committed` is called once it is in place.
absl::StatusOr<std::unique_ptr<CacheEntryWriter>> createCacheEntry(const std::string &path,
                                                                   ArtifactKind kind,
                                                                   absl::string_view key,
                                                                   std::function<void()> committed);

} // namespace qrt

#endif // QUENCH_RT_LIB_PROGRAM_CACHEENTRYFORMAT_H
