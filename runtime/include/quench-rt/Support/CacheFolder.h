//===- CacheFolder.h - where derived files are kept -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_CACHEFOLDER_H
#define QUENCH_RT_SUPPORT_CACHEFOLDER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <string>

namespace qrt {

/// The cache folder's path, created or not: $QUENCH_CACHE, else
/// $XDG_CACHE_HOME/quench, else $HOME/.cache/quench. As the XDG base directory
/// specification asks, an XDG_CACHE_HOME that is no absolute path is ignored.
/// FailedPrecondition if none of the three variables is of use.
absl::StatusOr<std::string> cacheFolderPath();

/// Creates a folder and its missing parents; those made here are open to the user only.
/// An existing folder is left as it is.
absl::Status createFolders(const std::string &path);

/// The cache folder, created if it was missing.
absl::StatusOr<std::string> cacheFolder();

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_CACHEFOLDER_H
