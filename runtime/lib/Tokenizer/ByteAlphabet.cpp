//===- ByteAlphabet.cpp - the printable byte alphabet of GPT-2 -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ByteAlphabet.h"

#include <array>
#include <cstdint>

using namespace qrt;

namespace {

constexpr uint32_t numCodePoints = 0x144;

constexpr bool standsForItself(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) ||
         (byte >= 0xAE && byte <= 0xFF);
}

/// The byte of each code point, -1 where there is none.
constexpr std::array<int16_t, numCodePoints> makeByteOfCodePoint() {
  std::array<int16_t, numCodePoints> table{};
  for (uint32_t i = 0; i < numCodePoints; ++i)
    table[i] = -1;
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte)
    table[standsForItself(byte) ? byte : next++] = static_cast<int16_t>(byte);
  return table;
}

constexpr std::array<int16_t, numCodePoints> byteOfCodePoint = makeByteOfCodePoint();

} // namespace

std::string qrt::bytesFromAlphabet(absl::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    // The alphabet ends below U+0800: a character is one byte or two.
    const uint32_t lead = static_cast<unsigned char>(text[i]);
    uint32_t codePoint = lead;
    size_t length = 1;
    if (lead >= 0x80) {
      if (lead < 0xC2 || lead > 0xDF || i + 1 == text.size() || (text[i + 1] & 0xC0) != 0x80)
        return std::string(text);
      codePoint = (lead & 0x1F) << 6 | (static_cast<unsigned char>(text[i + 1]) & 0x3F);
      length = 2;
    }
    if (codePoint >= numCodePoints || byteOfCodePoint[codePoint] < 0)
      return std::string(text);
    bytes.push_back(static_cast<char>(byteOfCodePoint[codePoint]));
    i += length;
  }
  return bytes;
}
