//===- BuildId.h - the build ID of an ELF file ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_MODEL_BUILDID_H
#define QUENCH_RT_LIB_MODEL_BUILDID_H

#include "absl/types/span.h"

#include <cstdint>
#include <string>

namespace qrt {

/// The build ID that the linker stored in a 64-bit ELF file of this machine's byte
/// order, in hexadecimal digits; empty if there is none or the file is damaged. Source:
/// System V ABI, chapter 5 (program header, note section); NT_GNU_BUILD_ID of GNU ld.
std::string findBuildId(absl::Span<const uint8_t> file);

} // namespace qrt

#endif // QUENCH_RT_LIB_MODEL_BUILDID_H
