//===- Utf8.cpp - finding what is valid UTF-8 ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Utf8.h"

#include <algorithm>

using namespace qrt;

Utf8Character qrt::firstCharacter(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80)
    return {1, true};

  // The second byte has the narrower range that rules out overlong forms, surrogates
  // and what lies above U+10FFFF; the others are 80 to BF.
  size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0)
      low = 0xA0;
    else if (lead == 0xED)
      high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0)
      low = 0x90;
    else if (lead == 0xF4)
      high = 0x8F;
  } else {
    return {0, false};
  }

  size_t have = 1;
  while (have < length && have < text.size() && byte(have) >= low && byte(have) <= high) {
    ++have;
    low = 0x80;
    high = 0xBF;
  }
  return {have, have == length};
}

size_t qrt::validPrefix(absl::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Utf8Character character = firstCharacter(text.substr(at));
    if (!character.complete)
      break;
    at += character.length;
  }
  return at;
}

size_t qrt::incompleteSuffix(absl::string_view text) {
  for (size_t length = 1; length <= std::min<size_t>(3, text.size()); ++length) {
    const absl::string_view suffix = text.substr(text.size() - length);
    if ((static_cast<unsigned char>(suffix[0]) & 0xC0) == 0x80)
      continue; // Not a first byte.
    const Utf8Character character = firstCharacter(suffix);
    return !character.complete && character.length == length ? length : 0;
  }
  return 0;
}
