//===- Format.cpp - the format table --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Format.h"

#include "Families.h"

using namespace qrt;
using namespace qrt::detail;

namespace {

// In the order of the enumeration, which is checked below.
constexpr FormatInfo kTable[] = {
    {Format::F32, "F32", 0, 1, 4, decodeF32, encodeF32, nullptr},
    {Format::F16, "F16", 1, 1, 2, decodeF16, encodeF16, nullptr},
    {Format::BF16, "BF16", 30, 1, 2, decodeBF16, encodeBF16, nullptr},
    {Format::Q4_0, "Q4_0", 2, 32, 18, decodeQ4_0, encodeQ4_0, unpackQ4_0},
    {Format::Q4_1, "Q4_1", 3, 32, 20, decodeQ4_1, encodeQ4_1, unpackQ4_1},
    {Format::Q5_0, "Q5_0", 6, 32, 22, decodeQ5_0, encodeQ5_0, unpackQ5_0},
    {Format::Q5_1, "Q5_1", 7, 32, 24, decodeQ5_1, encodeQ5_1, unpackQ5_1},
    {Format::Q8_0, "Q8_0", 8, 32, 34, decodeQ8_0, encodeQ8_0, unpackQ8_0},
    {Format::Q2_K, "Q2_K", 10, 256, 84, decodeQ2_K, nullptr, unpackQ2_K},
    {Format::Q3_K, "Q3_K", 11, 256, 110, decodeQ3_K, nullptr, unpackQ3_K},
    {Format::Q4_K, "Q4_K", 12, 256, 144, decodeQ4_K, nullptr, unpackQ4_K},
    {Format::Q5_K, "Q5_K", 13, 256, 176, decodeQ5_K, nullptr, unpackQ5_K},
    {Format::Q6_K, "Q6_K", 14, 256, 210, decodeQ6_K, nullptr, unpackQ6_K},
};

constexpr bool tableIsInOrder() {
  for (size_t i = 0; i < kNumFormats; ++i)
    if (static_cast<size_t>(kTable[i].format) != i)
      return false;
  return true;
}
static_assert(sizeof(kTable) / sizeof(kTable[0]) == kNumFormats);
static_assert(tableIsInOrder());

// Type numbers that GGUF defines and the table lacks.
struct OtherType {
  uint32_t ggmlType;
  std::string_view name;
};
constexpr OtherType kOtherTypes[] = {
    {9, "Q8_1"},    {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"},
    {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"},   {23, "IQ4_XS"}, {24, "I8"},      {25, "I16"},
    {26, "I32"},    {27, "I64"},   {28, "F64"},     {29, "IQ1_M"},  {34, "TQ1_0"},   {35, "TQ2_0"},
    {39, "MXFP4"},  {40, "NVFP4"}, {41, "Q1_0"},
};

/// Blocks in `k` numbers, or 0 if `k` is not a positive multiple of the block.
size_t blocksIn(const FormatInfo &info, int64_t k) {
  if (k <= 0 || k % info.blockElements != 0)
    return 0;
  return static_cast<size_t>(k / info.blockElements);
}

} // namespace

const FormatInfo &qrt::formatInfo(Format format) { return kTable[static_cast<size_t>(format)]; }

std::optional<Format> qrt::formatByName(std::string_view name) {
  for (const FormatInfo &info : kTable)
    if (info.name == name)
      return info.format;
  return std::nullopt;
}

std::optional<Format> qrt::formatByGgmlType(uint32_t ggmlType) {
  for (const FormatInfo &info : kTable)
    if (info.ggmlType == ggmlType)
      return info.format;
  return std::nullopt;
}

std::string_view qrt::ggmlTypeName(uint32_t ggmlType) {
  if (std::optional<Format> format = formatByGgmlType(ggmlType))
    return formatName(*format);
  for (const OtherType &other : kOtherTypes)
    if (other.ggmlType == ggmlType)
      return other.name;
  return {};
}

size_t qrt::rowBytes(Format format, int64_t k) {
  const FormatInfo &info = formatInfo(format);
  size_t bytes;
  if (__builtin_mul_overflow(blocksIn(info, k), size_t(info.blockBytes), &bytes))
    return 0;
  return bytes;
}

bool qrt::decodeRow(Format format, const uint8_t *bytes, float *values, int64_t n) {
  const FormatInfo &info = formatInfo(format);
  size_t blocks = blocksIn(info, n);
  if (blocks == 0)
    return false;
  info.decode(bytes, values, blocks);
  return true;
}

bool qrt::encodeRow(Format format, const float *values, uint8_t *bytes, int64_t n) {
  const FormatInfo &info = formatInfo(format);
  size_t blocks = blocksIn(info, n);
  if (blocks == 0 || !info.encode)
    return false;
  info.encode(values, bytes, blocks);
  return true;
}
