//===- Size.h - sizes as people write them --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_SIZE_H
#define QUENCH_RT_SUPPORT_SIZE_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>

namespace qrt {

/// "20G", "512M", "1000": bytes, with k, M, G, T as powers of 1000.
absl::StatusOr<uint64_t> parseSize(absl::string_view text, absl::string_view option);

/// "12.3 MB", "981 B" (powers of 1000).
std::string formatBytes(uint64_t bytes);

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_SIZE_H
