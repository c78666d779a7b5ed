//===- SafetensorsLayout.h - shared by reader and writer ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_MODELFILE_SAFETENSORSLAYOUT_H
#define QUENCH_RT_LIB_MODELFILE_SAFETENSORSLAYOUT_H

#include "absl/types/span.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace qrt::detail {

/// The reserved key.
inline constexpr std::string_view kSafetensorsMetadata = "__metadata__";

/// Empty if `bytes` is what a tensor of this type and shape takes (or the type is not
/// known), else the complaint.
std::string checkSafetensorsBytes(std::string_view dtype, absl::Span<const int64_t> shape,
                                  uint64_t bytes);

} // namespace qrt::detail

#endif // QUENCH_RT_LIB_MODELFILE_SAFETENSORSLAYOUT_H
