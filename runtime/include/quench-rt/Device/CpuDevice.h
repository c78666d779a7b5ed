//===- CpuDevice.h - the processor of this machine as a device ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Memory comes in anonymous mappings for which huge pages are asked. Code is an ELF
// shared library. Entries run on a ThreadTeam of which the caller is thread 0.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DEVICE_CPUDEVICE_H
#define QUENCH_RT_DEVICE_CPUDEVICE_H

#include "quench-rt/Device/Device.h"
#include "quench-rt/Device/ThreadTeam.h"

#include "absl/status/statusor.h"

#include <memory>
#include <string>

namespace qrt {

/// InvalidArgument for a thread count that is not possible. With a `codeFolder` that is
/// not empty, code is loaded from a new file in it, which stays, for profilers and
/// debuggers; otherwise from memory.
absl::StatusOr<std::unique_ptr<Device>> createCpuDevice(const ThreadTeamOptions &options = {},
                                                        const std::string &codeFolder = "");

/// An anonymous mapping of at least `bytes` zero bytes, as CpuDevice::allocate makes:
/// aligned to 2 MiB and asked to be in huge pages from that size on. Under
/// AddressSanitizer the bytes past the end are poisoned.
absl::StatusOr<std::unique_ptr<Buffer>> allocateHostBuffer(size_t bytes);

} // namespace qrt

#endif // QUENCH_RT_DEVICE_CPUDEVICE_H
