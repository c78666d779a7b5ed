//===- UserCache.cpp - the cache folder as the environment names it -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/UserCache.h"

#include "quench-rt/Support/Errors.h"
#include "quench-rt/Support/Size.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>

using namespace qrt;

absl::StatusOr<uint64_t> qrt::cacheLimit() {
  if (const char *limit = std::getenv("QUENCH_CACHE_LIMIT"))
    return parseSize(limit, "QUENCH_CACHE_LIMIT");
  return ArtifactCacheOptions::kDefaultMaxBytes;
}

static absl::StatusOr<ArtifactCacheOptions> userOptions(const Listener &listener) {
  ArtifactCacheOptions options;
  QRT_ASSIGN_OR_RETURN(options.maxBytes, cacheLimit());
  options.note = listener.note;
  return options;
}

absl::StatusOr<std::unique_ptr<ArtifactCache>> qrt::openUserCache(const Listener &listener) {
  QRT_ASSIGN_OR_RETURN(ArtifactCacheOptions options, userOptions(listener));
  absl::StatusOr<std::unique_ptr<ArtifactCache>> cache = ArtifactCache::open(std::move(options));
  if (!cache.ok())
    return environmentError(
        absl::StrCat(cache.status().message(), "; QUENCH_CACHE names another cache folder"));
  return cache;
}

absl::StatusOr<std::unique_ptr<ArtifactCache>>
qrt::openUserCacheIfPossible(const Listener &listener) {
  QRT_ASSIGN_OR_RETURN(ArtifactCacheOptions options, userOptions(listener));
  absl::StatusOr<std::unique_ptr<ArtifactCache>> cache = ArtifactCache::open(options);
  if (cache.ok())
    return cache;
  return ArtifactCache::none(std::move(options), cache.status());
}
