//===- GgufMalformedTest.cpp - damaged and lying GGUF files ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each case takes the same small valid file, does one thing to it, and must be refused
// with a message that names the place.
//
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/Gguf.h"

#include "ModelFile/GgufBuilder.h"
#include "Support/TempFolder.h"

#include <gtest/gtest.h>

#include <limits>
#include <ostream>

using namespace qrt;
using namespace qrt::test;

namespace {

constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

GgufBuilder validFile() {
  GgufBuilder builder;
  builder.addString("general.architecture", "llama");
  builder.addUint32("general.alignment", 32);
  builder.addBool("flag", true);
  builder.addStrings("tokens", {"a", "b"});
  builder.addTensor("w", {64, 2}, Format::Q8_0, std::string(2 * 2 * 34, 'w'));
  builder.addTensor("b", {4}, Format::F32, std::string(16, 'b'));
  return builder;
}

struct Case {
  const char *name;
  void (*damage)(GgufBuilder &);
  const char *message; ///< part of the error
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

void setTokens(GgufBuilder &b, std::string value) { b.entries[3].value = std::move(value); }

std::string nestedArrays(int depth) {
  std::string value = rawArray(GgufType::Uint8, 0, "");
  for (int i = 1; i < depth; ++i)
    value = rawArray(GgufType::Array, 1, value);
  return value;
}

// clang-format off
const Case kCases[] = {
    {"WrongMagic", [](GgufBuilder &b) { b.magic = "GGML"; }, "header: not a GGUF file"},
    {"Version1", [](GgufBuilder &b) { b.version = 1; }, "header: GGUF version 1, expected 2 or 3"},
    {"FutureVersion", [](GgufBuilder &b) { b.version = 4; }, "GGUF version 4"},
    {"BigEndian", [](GgufBuilder &b) { b.version = 0x03000000; }, "big-endian GGUF file"},
    {"HugeTensorCount", [](GgufBuilder &b) { b.tensorCount = kHuge; }, "18446744073709551615 tensors"},
    {"ManyTensors", [](GgufBuilder &b) { b.tensorCount = 1000; }, "1000 tensors"},
    {"OneTensorTooMany", [](GgufBuilder &b) { b.tensorCount = 3; }, "tensor 2"},
    {"HugeMetadataCount", [](GgufBuilder &b) { b.metadataCount = kHuge; }, "metadata entries"},
    {"MetadataCountTooLarge", [](GgufBuilder &b) { b.metadataCount = 5; }, "tensor 0: string of"},
    {"MetadataCountTooSmall", [](GgufBuilder &b) { b.metadataCount = 3; }, "tensor"},
    {"EmptyKey", [](GgufBuilder &b) { b.entries[0].key = ""; }, "metadata entry 0: name of 0 bytes"},
    {"LongKey", [](GgufBuilder &b) { b.entries[0].key = std::string(65536, 'k'); }, "name of 65536 bytes"},
    {"DuplicateKey", [](GgufBuilder &b) { b.entries.push_back(b.entries[0]); }, "metadata 'general.architecture': given twice"},
    {"UnknownValueType", [](GgufBuilder &b) { b.entries[2].type = 13; }, "metadata 'flag': value type 13, expected 0 to 12"},
    {"BooleanOf2", [](GgufBuilder &b) { b.entries[2].value = "\x02"; }, "metadata 'flag': boolean with value 2"},
    {"HugeString", [](GgufBuilder &b) { b.entries[0].value = raw(kHuge) + "x"; }, "metadata 'general.architecture': string of 18446744073709551615 bytes"},
    {"StringPastTheEnd", [](GgufBuilder &b) { b.entries[0].value = raw<uint64_t>(100000); }, "string of 100000 bytes"},
    {"HugeArray", [](GgufBuilder &b) { setTokens(b, rawArray(GgufType::Uint64, kHuge, "")); }, "metadata 'tokens': array of 18446744073709551615 uint64"},
    {"HugeArrayOfStrings", [](GgufBuilder &b) { setTokens(b, rawArray(GgufType::String, 1u << 30, "")); }, "array of 1073741824 string"},
    {"ArrayOfUnknownType", [](GgufBuilder &b) { setTokens(b, rawArray(static_cast<GgufType>(99), 1, "xxxx")); }, "array of value type 99"},
    {"ArrayStringPastTheEnd", [](GgufBuilder &b) { setTokens(b, rawArray(GgufType::String, 1, raw<uint64_t>(1u << 20))); }, "metadata 'tokens': string of 1048576 bytes"},
    {"BooleanArrayOf7", [](GgufBuilder &b) { setTokens(b, rawArray(GgufType::Bool, 2, "\x01\x07")); }, "boolean with value 7"},
    {"DeepArrays", [](GgufBuilder &b) { setTokens(b, nestedArrays(5)); }, "arrays nested more than 4 deep"},
    {"VeryDeepArrays", [](GgufBuilder &b) { setTokens(b, nestedArrays(5000)); }, "arrays nested more than 4 deep"},
    {"AlignmentZero", [](GgufBuilder &b) { b.entries[1].value = raw<uint32_t>(0); }, "metadata 'general.alignment': 0, expected a power of two"},
    {"AlignmentNoPowerOfTwo", [](GgufBuilder &b) { b.entries[1].value = raw<uint32_t>(48); }, "'general.alignment': 48"},
    {"AlignmentIsAString", [](GgufBuilder &b) { b.entries[1] = {"general.alignment", 8, rawString("32")}; }, "string, expected uint32"},
    {"AlignmentPastTheEnd", [](GgufBuilder &b) { b.entries[1].value = raw<uint32_t>(1u << 31); b.tensors.pop_back(); }, "tensor data: starts at byte 2147483648"},
    {"DuplicateTensor", [](GgufBuilder &b) { b.tensors[1].name = "w"; }, "tensor 'w': given twice"},
    {"UnnamedTensor", [](GgufBuilder &b) { b.tensors[1].name = ""; }, "tensor 1: name of 0 bytes"},
    {"NoDimensions", [](GgufBuilder &b) { b.tensors[1].sizes = {}; }, "tensor 'b': 0 dimensions, expected 1 to 4"},
    {"FiveDimensions", [](GgufBuilder &b) { b.tensors[1].sizes = {4, 1, 1, 1, 1}; }, "tensor 'b': 5 dimensions"},
    {"HugeRank", [](GgufBuilder &b) { b.tensors[1].rank = 0xffffffff; }, "4294967295 dimensions"},
    {"DimensionZero", [](GgufBuilder &b) { b.tensors[1].sizes = {0}; }, "tensor 'b': dimension 0 is 0"},
    {"NegativeDimension", [](GgufBuilder &b) { b.tensors[1].sizes = {kHuge}; }, "tensor 'b': dimension 0 is 18446744073709551615"},
    {"ElementsOverflow", [](GgufBuilder &b) { b.tensors[1].sizes = {uint64_t(1) << 32, uint64_t(1) << 32}; }, "the number of elements exceeds 2^63-1"},
    {"BytesOverflow", [](GgufBuilder &b) { b.tensors[1].sizes = {uint64_t(1) << 62}; }, "takes more than 2^64 bytes"},
    {"NoWholeBlocks", [](GgufBuilder &b) { b.tensors[0].sizes = {33, 2}; }, "tensor 'w': rows of 33 numbers in Q8_0, whose blocks hold 32"},
    {"TensorTooLarge", [](GgufBuilder &b) { b.tensors[1].sizes = {1000000}; }, "tensor 'b': 4000000 bytes at offset 160 of the data section"},
    {"OffsetPastTheEnd", [](GgufBuilder &b) { b.tensors[1].offset = 1u << 20; }, "tensor 'b': 16 bytes at offset 1048576"},
    {"OffsetOverflow", [](GgufBuilder &b) { b.tensors[1].offset = kHuge - 31; }, "tensor 'b': 16 bytes at offset 18446744073709551584"},
    {"OffsetNotAligned", [](GgufBuilder &b) { b.tensors[1].offset = 161; }, "tensor 'b': offset 161 is no multiple of the alignment 32"},
    {"TensorsOverlap", [](GgufBuilder &b) { b.tensors[1].offset = 64; }, "tensor 'w': its 136 bytes at offset 0 overlap tensor 'b' at offset 64"},
    {"TensorsCoincide", [](GgufBuilder &b) { b.tensors[1].offset = 0; }, "overlap"},
    {"UnknownTypePastTheEnd", [](GgufBuilder &b) { b.tensors[1].type = 99; b.tensors[1].offset = 1u << 20; }, "tensor 'b'"},
    {"ControlCharactersInAName", [](GgufBuilder &b) { b.tensors[1].name = "x\n\x1b"; b.tensors[1].sizes = {0}; }, "tensor 'x\\x0a\\x1b': dimension"},
};
// clang-format on

class GgufMalformed : public ::testing::TestWithParam<Case> {};

TEST_P(GgufMalformed, IsRefused) {
  TempFolder folder;
  GgufBuilder builder = validFile();
  GetParam().damage(builder);
  std::string path = folder.write("bad.gguf", builder.build());
  auto file = GgufFile::open(path);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  std::string message(file.status().message());
  EXPECT_EQ(message.rfind(path + ": ", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Gguf, GgufMalformed, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(GgufDamage, TheFileBeforeDamageIsFine) {
  TempFolder folder;
  auto file = GgufFile::open(folder.write("good.gguf", validFile().build()));
  EXPECT_TRUE(file.ok()) << file.status();
}

absl::StatusOr<GgufFile> parse(std::string_view contents) {
  return GgufFile::parse(*MappedFile::fromBytes(contents, "memory"));
}

TEST(GgufDamage, EveryTruncationIsRefused) {
  std::string whole = validFile().build();
  for (size_t size = 0; size < whole.size(); ++size) {
    auto file = parse(whole.substr(0, size));
    ASSERT_FALSE(file.ok()) << size;
  }
}

/// Uses everything a file offers; wrong bounds show under a sanitizer.
void readEverything(const GgufFile &file) {
  size_t sum = 0;
  for (const GgufMetadata &entry : file.metadata()) {
    sum += entry.value.describeType().size();
    if (auto texts = entry.value.asStrings())
      for (std::string_view text : *texts)
        sum += std::string(text).size();
    if (auto text = entry.value.asString())
      sum += std::string(*text).size();
  }
  for (const GgufTensor &tensor : file.tensors())
    for (size_t i = 0; i < tensor.bytes; ++i)
      sum += tensor.data[i];
  EXPECT_GT(sum + 1, 0u);
}

TEST(GgufDamage, FlippedBitsAreRefusedOrHarmless) {
  std::string whole = validFile().build();
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    auto file = parse(flipped);
    if (file.ok())
      readEverything(*file);
  }
}

} // namespace
