//===- Text.cpp - strings for messages ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Text.h"

std::string qrt::quoted(std::string_view text, size_t limit) {
  static constexpr char digits[] = "0123456789abcdef";
  bool cut = text.size() > limit;
  std::string result = "'";
  for (unsigned char c : text.substr(0, limit)) {
    if (c < 0x20 || c > 0x7e || c == '\'' || c == '\\') {
      result += "\\x";
      result += digits[c >> 4];
      result += digits[c & 0xf];
    } else {
      result += static_cast<char>(c);
    }
  }
  result += cut ? "...'" : "'";
  return result;
}
