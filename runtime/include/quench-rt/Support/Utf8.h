//===- Utf8.h - finding what is valid UTF-8 --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Valid means well-formed as in table 3-7 of the Unicode standard: no overlong forms,
// no surrogates, nothing above U+10FFFF.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_UTF8_H
#define QUENCH_RT_SUPPORT_UTF8_H

#include "quench-rt/Support/Text.h"

#include "absl/strings/string_view.h"

#include <cstddef>
#include <string_view>

namespace qrt {

/// What starts at a byte of a text.
struct Utf8Character {
  /// Bytes of the character, or of the longest start of one if it is not complete;
  /// 0 if the byte cannot start a character.
  size_t length;
  /// All bytes of a character are there.
  bool complete;
};

/// The character at the start of `text`, which is not empty.
Utf8Character firstCharacter(absl::string_view text);

/// The length of the longest prefix of `text` that is valid.
size_t validPrefix(absl::string_view text);

inline bool isUtf8(std::string_view text) { return validPrefix(toAbsl(text)) == text.size(); }

/// The number of bytes at the end of `text` that are the start of a character whose
/// rest may still come: 0 to 3.
size_t incompleteSuffix(absl::string_view text);

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_UTF8_H
