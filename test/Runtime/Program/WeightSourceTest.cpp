//===- WeightSourceTest.cpp - weights in safetensors and GGUF files -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"
#include "ModelFile/GgufBuilder.h"

#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Program/Package.h"
#include "quench-rt/Program/WeightSource.h"

#include "gtest/gtest.h"

using namespace qrt;
using namespace qrt::test;

namespace {

class WeightSourceTest : public testing::Test {
protected:
  /// One tensor "w" with a description, or none where it is empty.
  absl::StatusOr<CanonicalWeight> find(const std::string &dtype, std::vector<int64_t> shape,
                                       size_t bytes, const std::string &description) {
    SafetensorsWriter writer;
    std::vector<uint8_t> data(bytes, 7);
    if (!description.empty())
      EXPECT_TRUE(writer.setMetadata("w", description).ok());
    EXPECT_TRUE(writer.addTensor("w", dtype, shape, data.data(), bytes).ok());
    EXPECT_TRUE(writer.write(path).ok());
    auto opened = openSafetensorsWeights(path);
    EXPECT_TRUE(opened.ok()) << opened.status();
    source = *std::move(opened);
    return source->find("w");
  }

  TemporaryFolder folder;
  const std::string path = folder / "w.safetensors";
  std::unique_ptr<WeightSource> source;
};

TEST_F(WeightSourceTest, QuantizedBytes) {
  auto weight = find("U8", {3 * 40}, 3 * 40, "q4_1 3x64");
  ASSERT_TRUE(weight.ok()) << weight.status();
  EXPECT_EQ(weight->format, Format::Q4_1);
  EXPECT_EQ(weight->rows, 3);
  EXPECT_EQ(weight->columns, 64);
  EXPECT_FALSE(weight->vector);
  EXPECT_EQ(weight->bytes, 120u);
  EXPECT_EQ(weight->data[5], 7);
}

TEST_F(WeightSourceTest, Vectors) {
  auto weight = find("U8", {20}, 20, "f32 5");
  ASSERT_TRUE(weight.ok()) << weight.status();
  EXPECT_TRUE(weight->vector);
  EXPECT_EQ(weight->rows, 1);
  EXPECT_EQ(weight->columns, 5);
}

TEST_F(WeightSourceTest, PlainTensors) {
  auto weight = find("BF16", {2, 3}, 12, "");
  ASSERT_TRUE(weight.ok()) << weight.status();
  EXPECT_EQ(weight->format, Format::BF16);
  EXPECT_EQ(weight->rows, 2);
  EXPECT_EQ(weight->columns, 3);
}

TEST_F(WeightSourceTest, WhatIsWrongIsNamed) {
  auto message = [&](const std::string &dtype, std::vector<int64_t> shape, size_t bytes,
                     const std::string &description) {
    std::string text(find(dtype, shape, bytes, description).status().message());
    EXPECT_EQ(text.find(path + ": tensor 'w': "), 0u) << text;
    return text.substr(path.size() + 14);
  };
  EXPECT_EQ(message("F32", {3}, 12, "q4_1 3x64"),
            "its metadata describe block bytes, but its type is F32, expected U8");
  EXPECT_EQ(message("U8", {120}, 120, "q4_1 3x32"), "has 120 bytes, but q4_1 3x32 needs 60");
  EXPECT_EQ(message("U8", {120}, 120, "q4_1 3x33"), "has 120 bytes, but q4_1 3x33 needs 0");
  EXPECT_EQ(message("U8", {12}, 12, ""), "type U8, expected F32, F16 or BF16, or U8 with its "
                                         "format in the file's metadata");
  EXPECT_EQ(message("I32", {3}, 12, ""), "type I32, expected F32, F16 or BF16, or U8 with its "
                                         "format in the file's metadata");
  EXPECT_EQ(message("F32", {1, 1, 3}, 12, ""), "rank 3, expected 1 or 2");
  for (const char *text :
       {"q4_1", "q4_1 ", "q4_1 x64", "q4_1 3x", "q4_1 -3x64", "q4_1 3x64x2", "q9_9 3x64",
        "q4_1 99999999999999999999x64", "q4_1 0x64", " 3x64", "q4_1 3 64"})
    EXPECT_EQ(message("U8", {120}, 120, text).find("metadata '"), 0u) << text;
  EXPECT_EQ(message("U8", {120}, 120, "f32 9223372036854775807x9223372036854775807"),
            "has 120 bytes, but f32 9223372036854775807x9223372036854775807 needs 0");
}

TEST_F(WeightSourceTest, TheFirstBytesTellTheKindOfFile) {
  // Under names that say the contrary, and none.
  for (const char *name : {"w.safetensors", "w"}) {
    GgufBuilder builder;
    builder.addTensor("w", {3}, Format::F32, std::string(12, '\7'));
    std::string bytes = builder.build();
    writeFile(folder / name, {bytes.begin(), bytes.end()});
    auto opened = openWeights(folder / name);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ((*opened)->find("w")->columns, 3);
  }
  for (const char *name : {"table.gguf", "table"}) {
    writeFakeWeights(folder / name);
    auto opened = openWeights(folder / name);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_TRUE((*opened)->find("table").ok());
  }
  writeFile(folder / "empty", {});
  EXPECT_EQ(openWeights(folder / "empty").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(openWeights(folder / "none").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(WeightSourceTest, CopiesKeepEverything) {
  writeFakeWeights(path);
  auto source = *openSafetensorsWeights(path);
  const std::string copy = folder / "copy.safetensors";
  ASSERT_TRUE(copyWeights(*source, std::vector<std::string>{"table", "seed"}, copy).ok());
  auto copied = openSafetensorsWeights(copy);
  ASSERT_TRUE(copied.ok()) << copied.status();
  for (const char *key : {"table", "seed"}) {
    auto a = source->find(key), b = (*copied)->find(key);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a->format, b->format);
    EXPECT_EQ(a->rows, b->rows);
    EXPECT_EQ(a->columns, b->columns);
    EXPECT_EQ(a->vector, b->vector);
    EXPECT_EQ(std::vector<uint8_t>(a->data, a->data + a->bytes),
              std::vector<uint8_t>(b->data, b->data + b->bytes));
  }
}

TEST_F(WeightSourceTest, AJoinedSourceHasTheWeightsOfBoth) {
  const std::string small = folder / "small.gguf";
  writeFakeWeights(path);
  GgufBuilder builder;
  builder.addTensor("table", {3}, Format::F32, std::string(12, '\7'));
  std::string bytes = builder.build();
  writeFile(small, {bytes.begin(), bytes.end()});
  std::unique_ptr<WeightSource> joined = joinWeights(*openWeights(path), *openWeights(small));
  EXPECT_NE(joined->find("table")->bytes, 12u);
  EXPECT_EQ(joined->find("draft.table")->bytes, 12u);
  EXPECT_EQ(joined->find("draft.seed").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(joined->find("draft.draft.table").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(*joined->contentHash(), joinedWeightsHash(*hashFile(path), *hashFile(small)));
  EXPECT_NE(*joined->contentHash(), joinedWeightsHash(*hashFile(small), *hashFile(path)));
}

} // namespace
