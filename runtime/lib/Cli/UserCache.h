//===- UserCache.h - the cache folder as the tool uses it -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_USERCACHE_H
#define QUENCH_RT_LIB_CLI_USERCACHE_H

#include "quench-rt/Program/ArtifactCache.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>

namespace qrt::cli {

/// The cache's limit in bytes: $QUENCH_CACHE_LIMIT (such as "20G"), else 20 GB.
absl::StatusOr<uint64_t> cacheLimit();

/// The user's cache; entries that had to be ignored are noted on standard error.
absl::StatusOr<std::unique_ptr<ArtifactCache>> openUserCache();

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_USERCACHE_H
