//===- GgufTest.cpp - well-formed GGUF files ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/Gguf.h"

#include "ModelFile/GgufBuilder.h"
#include "Support/TempFolder.h"

#include <gtest/gtest.h>

#include <limits>

using namespace qrt;
using namespace qrt::test;

namespace {

class Gguf : public ::testing::Test {
protected:
  GgufFile open(const GgufBuilder &builder) {
    auto file = GgufFile::open(folder.write("model.gguf", builder.build()));
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *std::move(file) : GgufFile();
  }
  TempFolder folder;
};

std::string messageOf(const absl::Status &status) { return std::string(status.message()); }

TEST_F(Gguf, EveryScalarType) {
  GgufBuilder builder;
  builder.add("u8", GgufType::Uint8, raw<uint8_t>(200));
  builder.add("i8", GgufType::Int8, raw<int8_t>(-100));
  builder.add("u16", GgufType::Uint16, raw<uint16_t>(60000));
  builder.add("i16", GgufType::Int16, raw<int16_t>(-30000));
  builder.add("u32", GgufType::Uint32, raw<uint32_t>(4000000000));
  builder.add("i32", GgufType::Int32, raw<int32_t>(-2000000000));
  builder.add("u64", GgufType::Uint64, raw<uint64_t>(std::numeric_limits<uint64_t>::max()));
  builder.add("i64", GgufType::Int64, raw<int64_t>(std::numeric_limits<int64_t>::min()));
  builder.addFloat32("f32", 0.1f);
  builder.add("f64", GgufType::Float64, raw<double>(0.1));
  builder.addBool("yes", true);
  builder.addBool("no", false);
  builder.addString("text", "na\xc3\xafve");
  GgufFile file = open(builder);

  EXPECT_EQ(file.metadata().size(), 13u);
  EXPECT_EQ(file.metadata()[0].key, "u8");
  EXPECT_EQ(*file.getInt("u8"), 200);
  EXPECT_EQ(*file.getInt("i8"), -100);
  EXPECT_EQ(*file.getInt("u16"), 60000);
  EXPECT_EQ(*file.getInt("i16"), -30000);
  EXPECT_EQ(*file.getInt("u32"), 4000000000);
  EXPECT_EQ(*file.getInt("i32"), -2000000000);
  EXPECT_EQ(*file.getInt("i64"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(file.find("u64")->asUint(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(file.find("i8")->asUint(), std::nullopt);
  EXPECT_EQ(*file.getFloat("f32"), static_cast<double>(0.1f));
  EXPECT_EQ(*file.getFloat("f64"), 0.1);
  EXPECT_EQ(*file.getFloat("u8"), 200.0); // integers serve as floats
  EXPECT_TRUE(*file.getBool("yes"));
  EXPECT_FALSE(*file.getBool("no"));
  EXPECT_EQ(*file.getString("text"), "na\xc3\xafve");
}

TEST_F(Gguf, ArraysOfNumbersAndStrings) {
  GgufBuilder builder;
  builder.addStrings("tokens", {"a", "", "long \xf0\x9f\x98\x80"});
  builder.add("types", GgufType::Array,
              rawArray(GgufType::Int32, 3, raw<int32_t>(1) + raw<int32_t>(-2) + raw<int32_t>(3)));
  builder.add("scores", GgufType::Array, rawArray(GgufType::Float32, 2, raw(0.5f) + raw(-1.0f)));
  builder.add("flags", GgufType::Array, rawArray(GgufType::Bool, 2, std::string("\x01\x00", 2)));
  builder.add("none", GgufType::Array, rawArray(GgufType::Uint32, 0, ""));
  GgufFile file = open(builder);

  using Strings = std::vector<std::string_view>;
  EXPECT_EQ(*file.getStrings("tokens"), (Strings{"a", "", "long \xf0\x9f\x98\x80"}));
  EXPECT_EQ(*file.getInts("types"), (std::vector<int64_t>{1, -2, 3}));
  EXPECT_EQ(*file.getFloats("scores"), (std::vector<float>{0.5f, -1.0f}));
  EXPECT_EQ(file.find("flags")->describeType(), "array of 2 bool");
  EXPECT_EQ(file.getInts("none")->size(), 0u);
  // Strings are views into the mapping, not copies.
  const char *view = file.getStrings("tokens")->at(2).data();
  const char *start = reinterpret_cast<const char *>(file.contents().data());
  EXPECT_GT(view, start);
  EXPECT_LT(view, start + file.contents().size());
}

TEST_F(Gguf, NestedArrays) {
  std::string inner = rawStrings({"x", "yy"}) + rawStrings({}) + rawStrings({"zzz"});
  GgufBuilder builder;
  builder.add("nested", GgufType::Array, rawArray(GgufType::Array, 3, inner));
  builder.addUint32("behind", 7);
  GgufFile file = open(builder);

  EXPECT_EQ(file.find("nested")->describeType(), "array of 3 array");
  EXPECT_FALSE(file.find("nested")->asStrings());
  EXPECT_EQ(*file.getInt("behind"), 7);
}

TEST_F(Gguf, WrongTypesSayWhatWasFound) {
  GgufBuilder builder;
  builder.addString("name", "x");
  builder.addStrings("tokens", {"a", "b"});
  builder.add("huge", GgufType::Uint64, raw(std::numeric_limits<uint64_t>::max()));
  GgufFile file = open(builder);
  std::string path = file.path();

  EXPECT_EQ(messageOf(file.getInt("name").status()),
            path + ": metadata 'name': string, expected an integer below 2^63");
  EXPECT_EQ(messageOf(file.getString("tokens").status()),
            path + ": metadata 'tokens': array of 2 string, expected a string");
  EXPECT_EQ(file.getInt("huge").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(file.getInts("tokens").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(file.getInt("absent").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(messageOf(file.getFloats("absent").status()),
            path + ": metadata 'absent' is missing, expected an array of floats");
}

TEST_F(Gguf, OptionalMetadataHasADefaultButNotForWrongTypes) {
  GgufBuilder builder;
  builder.addUint32("n", 5);
  builder.addString("s", "x");
  GgufFile file = open(builder);
  EXPECT_EQ(*file.getIntOr("n", 1), 5);
  EXPECT_EQ(*file.getIntOr("m", 1), 1);
  EXPECT_EQ(*file.getFloatOr("m", 1.5), 1.5);
  EXPECT_EQ(*file.getBoolOr("m", true), true);
  EXPECT_EQ(*file.getStringOr("m", "other"), "other");
  EXPECT_FALSE(file.getIntOr("s", 1).ok());
  EXPECT_FALSE(file.getStringOr("n", "x").ok());
}

TEST_F(Gguf, TensorsInFileOrderWithRowMajorShapes) {
  GgufBuilder builder;
  builder.addString("general.architecture", "test");
  std::string q8(3 * 2 * 34, '\x11'), f32(5 * 4, '\x22'), f16(2 * 3 * 4 * 5 * 2, '\x33');
  builder.addTensor("weight", {64, 3}, Format::Q8_0, q8);
  builder.addTensor("bias", {5}, Format::F32, f32);
  builder.addTensor("cube", {5, 4, 3, 2}, Format::F16, f16);
  GgufFile file = open(builder);

  ASSERT_EQ(file.tensors().size(), 3u);
  const GgufTensor &weight = file.tensors()[0];
  EXPECT_EQ(weight.name, "weight");
  EXPECT_EQ(weight.shape(), (absl::Span<const int64_t>{{3, 64}}));
  EXPECT_EQ(weight.rows(), 3);
  EXPECT_EQ(weight.columns(), 64);
  EXPECT_EQ(*file.formatOf(weight), Format::Q8_0);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(weight.data), weight.bytes), q8);

  const GgufTensor *bias = *file.getTensor("bias");
  EXPECT_EQ(bias->rank, 1u);
  EXPECT_EQ(bias->rows(), 1);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(bias->data), bias->bytes), f32);
  EXPECT_EQ((bias->data - file.contents().data()) % 32, 0);

  const GgufTensor *cube = file.findTensor("cube");
  EXPECT_EQ(cube->shape(), (absl::Span<const int64_t>{{2, 3, 4, 5}}));
  EXPECT_EQ(cube->rows(), 24);
  EXPECT_EQ(file.findTensor("none"), nullptr);
  EXPECT_EQ(messageOf(file.getTensor("none").status()), file.path() + ": tensor 'none' is missing");
}

TEST_F(Gguf, ValuesStayValidWhenTheFileMoves) {
  GgufBuilder builder;
  builder.addString("name", "kept");
  GgufFile file = open(builder);
  std::string_view name = *file.getString("name");
  GgufFile moved = std::move(file);
  EXPECT_EQ(name, "kept");
  EXPECT_EQ(*moved.getString("name"), "kept");
}

TEST_F(Gguf, AlignmentFromTheMetadata) {
  GgufBuilder builder;
  builder.alignment = 256;
  builder.addUint32("general.alignment", 256);
  builder.addTensor("a", {1}, Format::F32, "aaaa");
  builder.addTensor("b", {1}, Format::F32, "bbbb");
  GgufFile file = open(builder);
  EXPECT_EQ(file.alignment(), 256u);
  EXPECT_EQ(file.findTensor("b")->data[0], 'b');
  EXPECT_EQ(file.findTensor("b")->data - file.findTensor("a")->data, 256);
}

TEST_F(Gguf, Version2IsTheSame) {
  GgufBuilder builder;
  builder.version = 2;
  builder.addTensor("a", {2}, Format::F32, "aaaabbbb");
  EXPECT_EQ(open(builder).version(), 2u);
}

TEST_F(Gguf, VocabularyWithoutTensors) {
  GgufBuilder builder;
  builder.addStrings("tokenizer.ggml.tokens", {"a"});
  GgufFile file = open(builder);
  EXPECT_TRUE(file.tensors().empty());
  EXPECT_EQ(file.getStrings("tokenizer.ggml.tokens")->size(), 1u);
}

TEST_F(Gguf, EmptyGgufIsAFile) { EXPECT_TRUE(open(GgufBuilder()).metadata().empty()); }

TEST_F(Gguf, DataMayLieInAnotherOrderThanTheDescriptions) {
  GgufBuilder builder;
  builder.addTensor("a", {1}, Format::F32, "aaaa");
  builder.addTensor("b", {1}, Format::F32, "bbbb");
  std::swap(builder.tensors[0].data, builder.tensors[1].data);
  builder.tensors[0].offset = 32;
  builder.tensors[1].offset = 0;
  GgufFile file = open(builder);
  EXPECT_EQ(file.findTensor("a")->data[0], 'a');
  EXPECT_EQ(file.findTensor("b")->data[0], 'b');
}

TEST_F(Gguf, UnsupportedTypesMatterOnlyWhenAsked) {
  GgufBuilder builder;
  builder.addTensor("iq", {256}, Format::F32, std::string(136, 'x'));
  builder.tensors[0].type = 23;
  builder.addTensor("odd", {7}, Format::F32, "y");
  builder.tensors[1].type = 12345;
  builder.addTensor("fine", {1}, Format::F32, "zzzz");
  GgufFile file = open(builder);
  EXPECT_TRUE(file.formatOf(*file.findTensor("fine")).ok());
  EXPECT_EQ(file.findTensor("iq")->bytes, 160u); // up to the next one

  absl::Status status = file.formatOf(*file.findTensor("iq")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(messageOf(status), file.path() +
                                   ": tensor 'iq': type IQ4_XS is not supported; supported: F32, "
                                   "F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, "
                                   "Q5_K, Q6_K");
  EXPECT_NE(messageOf(file.formatOf(*file.findTensor("odd")).status()).find("type number 12345"),
            std::string::npos);
}

} // namespace
