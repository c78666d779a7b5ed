//===- Text.h - strings for messages --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_TEXT_H
#define QUENCH_RT_SUPPORT_TEXT_H

#include "absl/strings/string_view.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace qrt {

/// Abseil may have been built with a string_view of its own; this converts to it.
inline absl::string_view toAbsl(std::string_view text) {
  return absl::string_view(text.data(), text.size());
}

/// `text` between single quotes, fit for one line of a message: control bytes, quotes,
/// backslashes and bytes above 0x7e become \xNN, and what exceeds `limit` bytes is cut
/// and marked with "...". Names and values from files go into messages only so.
/// Call it as `qrt::quoted`: unqualified, `std::quoted` competes.
std::string quoted(std::string_view text, size_t limit = 80);

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_TEXT_H
