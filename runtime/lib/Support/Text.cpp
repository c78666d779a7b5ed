//===- Text.cpp - strings for messages ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Text.h"

#include <cstdint>

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

bool qrt::isUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    unsigned char lead = text[i++];
    if (lead < 0x80)
      continue;
    int more;
    uint32_t code, least;
    if (lead >= 0xc2 && lead <= 0xdf) {
      more = 1, code = lead & 0x1f, least = 0x80;
    } else if ((lead & 0xf0) == 0xe0) {
      more = 2, code = lead & 0xf, least = 0x800;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      more = 3, code = lead & 0x7, least = 0x10000;
    } else {
      return false;
    }
    for (; more > 0; --more, ++i) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
        return false;
      code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3f);
    }
    if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      return false;
  }
  return true;
}
