//===- SafetensorsMalformedTest.cpp - damaged safetensors files -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/Safetensors.h"

#include "Support/TempFolder.h"

#include <gtest/gtest.h>

#include <ostream>

using namespace qrt;
using qrt::test::TempFolder;

namespace {

std::string file(std::string_view header, std::string_view data, int64_t lie = -1) {
  uint64_t length = lie < 0 ? header.size() : static_cast<uint64_t>(lie);
  std::string out(reinterpret_cast<const char *>(&length), 8);
  return out + std::string(header) + std::string(data);
}

/// A file with four bytes of data.
std::string withHeader(std::string_view header) { return file(header, "data"); }

struct Case {
  const char *name;
  std::string contents;
  const char *message;
};

const Case kCases[] = {
    {"Empty", "", "the file has 0 bytes"},
    {"SevenBytes", "1234567", "the file has 7 bytes"},
    {"HugeHeader", file("{}", "", 0x7fffffffffffffff), "header: length 9223372036854775807"},
    {"HeaderPastTheEnd", file("{}", "", 3), "header: length 3, but the file has 2"},
    {"NoHeader", file("", ""), "no JSON object"},
    {"Array", file("[]", ""), "no JSON object"},
    {"Space", file(" {}", ""), "no JSON object"},
    {"Unclosed", file("{", ""), "no well-formed JSON"},
    {"Behind", file("{}x", ""), "no well-formed JSON"},
    {"NotUtf8", file("{\"\xff\":{}}", ""), "no well-formed JSON"},
    {"DeepArrays", file("{\"a\":" + std::string(100000, '['), ""), "wrong type in 'a'"},
    {"DeepObjects", file("{\"a\":{\"shape\":{\"a\":{\"a\":{", ""), "'a', key 'shape'"},
    {"TensorIsANumber", file("{\"a\":1}", ""), "wrong type in 'a'"},
    {"TensorIsNull", file("{\"a\":null}", ""), "wrong type in 'a'"},
    {"UnknownKey", file("{\"a\":{\"type\":\"U8\"}}", ""), "tensor 'a': unknown key 'type'"},
    {"KeyTwice", file("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", ""), "dtype given twice"},
    {"NoDtype", withHeader("{\"a\":{\"shape\":[4],\"data_offsets\":[0,4]}}"),
     "tensor 'a': expected dtype, shape and two data_offsets"},
    {"DtypeIsANumber", withHeader("{\"a\":{\"dtype\":8}}"), "'a', key 'dtype'"},
    {"ShapeIsAString", withHeader("{\"a\":{\"shape\":\"4\"}}"), "'a', key 'shape'"},
    {"NegativeSize", withHeader("{\"a\":{\"shape\":[-4]}}"), "'a', key 'shape'"},
    {"FractionalSize", withHeader("{\"a\":{\"shape\":[4.0]}}"), "'a', key 'shape'"},
    {"HugeSize", withHeader("{\"a\":{\"shape\":[18446744073709551615]}}"), "exceeds 2^63-1"},
    {"ManyDimensions",
     withHeader("{\"a\":{\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                "1,1]}}"),
     "more than 32 dimensions"},
    {"OneOffset", withHeader("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0]}}"),
     "two data_offsets"},
    {"ThreeOffsets", withHeader("{\"a\":{\"data_offsets\":[0,2,4]}}"), "more than two numbers"},
    {"OffsetsReversed",
     withHeader("{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[4,0]}}"),
     "data_offsets [4, 0]"},
    {"OffsetsPastTheEnd",
     withHeader("{\"a\":{\"dtype\":\"U8\",\"shape\":[5],\"data_offsets\":[0,5]}}"),
     "the file has 4 bytes of data"},
    {"SizeMismatch", withHeader("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}"),
     "shape [2] of F32 takes 8 bytes, found 4"},
    {"Overflow",
     withHeader("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],"
                "\"data_offsets\":[0,4]}}"),
     "more than 2^61 bytes"},
    {"Overlap",
     withHeader("{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}"),
     "tensor 'b': its data starts at 2, expected 3"},
    {"Hole",
     withHeader("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}"),
     "tensor 'b': its data starts at 2, expected 1"},
    {"BytesLeft", withHeader("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}"),
     "cover 1 bytes of data, the file has 4"},
    {"TensorTwice",
     withHeader("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
                "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}"),
     "tensor 'a' given twice"},
    {"MetadataIsNoObject", file("{\"__metadata__\":[]}", ""), "wrong type"},
    {"MetadataIsNoString", file("{\"__metadata__\":{\"a\":1}}", ""), "'__metadata__', key 'a'"},
    {"MetadataNested", file("{\"__metadata__\":{\"a\":{}}}", ""), "'__metadata__', key 'a'"},
    {"MetadataTwice", file("{\"__metadata__\":{},\"__metadata__\":{}}", ""), "given twice"},
    {"MetadataKeyTwice", file("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", ""), "given twice"},
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class SafetensorsMalformed : public ::testing::TestWithParam<Case> {};

TEST_P(SafetensorsMalformed, IsRefused) {
  TempFolder folder;
  std::string path = folder.write("bad.safetensors", GetParam().contents);
  auto result = SafetensorsFile::open(path);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  std::string message(result.status().message());
  EXPECT_EQ(message.rfind(path + ": ", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Safetensors, SafetensorsMalformed, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(SafetensorsDamage, TruncationsAndFlippedBits) {
  auto parse = [](std::string_view contents) {
    return SafetensorsFile::parse(*MappedFile::fromBytes(contents, "memory"));
  };
  std::string whole = withHeader("{\"__metadata__\":{\"k\":\"v\"},"
                                 "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}");
  ASSERT_TRUE(parse(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size)
    ASSERT_FALSE(parse(whole.substr(0, size)).ok()) << size;
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    auto result = parse(flipped);
    if (result.ok())
      for (const SafetensorsTensor &tensor : result->tensors())
        EXPECT_LE(std::string(reinterpret_cast<const char *>(tensor.data), tensor.bytes).size(),
                  4u);
  }
}

} // namespace
