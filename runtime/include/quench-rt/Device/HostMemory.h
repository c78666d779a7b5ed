//===- HostMemory.h - how much memory the host has ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DEVICE_HOSTMEMORY_H
#define QUENCH_RT_DEVICE_HOSTMEMORY_H

#include "absl/types/optional.h"

#include <cstdint>
#include <string>

namespace qrt {

/// In bytes.
struct HostMemory {
  uint64_t total = 0;
  /// What new allocations can have before something is swapped out or killed. Pages of
  /// files in memory count as available.
  uint64_t available = 0;
};

/// Of this process: the system's (/proc/meminfo), or less if its control group (version 2)
/// or its address space (RLIMIT_AS) has a limit. None where the system does not tell. `root` is
/// where /proc and /sys are found.
absl::optional<HostMemory> readHostMemory(const std::string &root = "");

} // namespace qrt

#endif // QUENCH_RT_DEVICE_HOSTMEMORY_H
