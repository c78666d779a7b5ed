//===- Names.h - names as compiler and files spell them -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_PROGRAM_NAMES_H
#define QUENCH_RT_LIB_PROGRAM_NAMES_H

#include "quench-rt/Formats/Format.h"

#include <optional>
#include <string>
#include <string_view>

namespace qrt {

/// IR spells formats in lower case, GGUF tools in upper case.
inline std::optional<Format> formatByAnyCase(std::string_view name) {
  std::string upper(name.substr(0, 16));
  for (char &c : upper)
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
  return formatByName(upper);
}

inline bool isLowerHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Whether `text` is 32 lower-case hexadecimal digits, as contentHash writes them.
inline bool isContentHash(std::string_view text) { return text.size() == 32 && isLowerHex(text); }

/// Whether `text` is 64 lower-case hexadecimal digits, as secureHash writes them.
inline bool isSecureHash(std::string_view text) { return text.size() == 64 && isLowerHex(text); }

} // namespace qrt

#endif // QUENCH_RT_LIB_PROGRAM_NAMES_H
