//===- SafetensorsTest.cpp - well-formed safetensors files ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/Safetensors.h"

#include "Support/TempFolder.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace qrt;
using qrt::test::TempFolder;

namespace {

std::string text(const SafetensorsTensor &tensor) {
  return std::string(reinterpret_cast<const char *>(tensor.data), tensor.bytes);
}

TEST(Safetensors, RoundTrip) {
  TempFolder folder;
  SafetensorsWriter writer;
  std::string bytes = "0123456789abcdef0123", floats(24, 'f');
  ASSERT_TRUE(writer.setMetadata("format", "old").ok());
  ASSERT_TRUE(writer.setMetadata("format", "Q4_1 \"quoted\" \n \xc3\xa9").ok());
  ASSERT_TRUE(writer.setMetadata("empty", "").ok());
  ASSERT_TRUE(writer.addTensor("blocks", "U8", {2, 10}, bytes.data(), 20).ok());
  ASSERT_TRUE(writer.addTensor("a \"name\"", "F32", {1, 2, 3}, floats.data(), 24).ok());
  ASSERT_TRUE(writer.addTensor("scalar", "I64", {}, bytes.data(), 8).ok());
  ASSERT_TRUE(writer.addTensor("none", "F16", {0, 7}, nullptr, 0).ok());
  ASSERT_TRUE(writer.write(folder.path("w.safetensors")).ok());

  auto file = SafetensorsFile::open(folder.path("w.safetensors"));
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->tensors().size(), 4u);
  EXPECT_EQ(file->metadata().at("format"), "Q4_1 \"quoted\" \n \xc3\xa9");
  EXPECT_EQ(file->metadata().at("empty"), "");
  const SafetensorsTensor &first = file->tensors()[0];
  EXPECT_EQ(first.name, "blocks");
  EXPECT_EQ(first.dtype, "U8");
  EXPECT_EQ(first.shape, (std::vector<int64_t>{2, 10}));
  EXPECT_EQ(text(first), bytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.data) % 64, 0u);
  ASSERT_NE(file->find("a \"name\""), nullptr);
  EXPECT_EQ(text(*file->find("a \"name\"")), floats);
  EXPECT_TRUE(file->find("scalar")->shape.empty());
  EXPECT_EQ(file->find("none")->bytes, 0u);
  EXPECT_EQ(file->get("other").status().code(), absl::StatusCode::kNotFound);
}

TEST(Safetensors, SameCallsGiveTheSameBytes) {
  TempFolder folder;
  for (const char *name : {"a", "b"}) {
    SafetensorsWriter writer;
    ASSERT_TRUE(writer.setMetadata(name[0] == 'a' ? "x" : "y", "1").ok());
    ASSERT_TRUE(writer.setMetadata(name[0] == 'a' ? "y" : "x", "1").ok());
    ASSERT_TRUE(writer.addTensor("t", "U8", {3}, "abc", 3).ok());
    ASSERT_TRUE(writer.write(folder.path(name)).ok());
  }
  EXPECT_EQ(TempFolder::read(folder.path("a")), TempFolder::read(folder.path("b")));
}

TEST(Safetensors, EmptyFile) {
  TempFolder folder;
  ASSERT_TRUE(SafetensorsWriter().write(folder.path("a")).ok());
  auto file = SafetensorsFile::open(folder.path("a"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->tensors().empty());
}

TEST(Safetensors, DtypeSizes) {
  EXPECT_EQ(safetensorsDtypeBits("BF16"), 16u);
  EXPECT_EQ(safetensorsDtypeBits("F8_E4M3"), 8u);
  EXPECT_EQ(safetensorsDtypeBits("F4"), 4u);
  EXPECT_EQ(safetensorsDtypeBits("F64"), 64u);
  EXPECT_EQ(safetensorsDtypeBits("Q4_1"), 0u);
}

TEST(Safetensors, UnknownDtypesAreKept) {
  TempFolder folder;
  SafetensorsWriter writer;
  ASSERT_TRUE(writer.addTensor("t", "X3", {5}, "abc", 3).ok());
  ASSERT_TRUE(writer.write(folder.path("a")).ok());
  auto file = SafetensorsFile::open(folder.path("a"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->tensors()[0].dtype, "X3");
  EXPECT_EQ(text(file->tensors()[0]), "abc");
}

TEST(Safetensors, WriterRefusesWhatCannotBeRead) {
  SafetensorsWriter writer;
  EXPECT_TRUE(writer.addTensor("t", "U8", {3}, "abc", 3).ok());
  EXPECT_FALSE(writer.addTensor("t", "U8", {3}, "abc", 3).ok());
  EXPECT_FALSE(writer.addTensor("short", "F32", {1}, "abc", 3).ok());
  EXPECT_FALSE(writer.addTensor("half byte", "F4", {3}, "ab", 2).ok());
  EXPECT_FALSE(writer.addTensor("negative", "U8", {-1}, "", 0).ok());
  EXPECT_FALSE(writer.addTensor("huge", "U8", {int64_t(1) << 62, 16}, "", 0).ok());
  EXPECT_FALSE(writer.addTensor("__metadata__", "U8", {0}, "", 0).ok());
  EXPECT_FALSE(writer.addTensor("\xff", "U8", {0}, "", 0).ok());
  EXPECT_FALSE(writer.setMetadata("key", "\xff").ok());
}

TEST(Safetensors, FailedWriteLeavesNothing) {
  TempFolder folder;
  SafetensorsWriter writer;
  EXPECT_FALSE(writer.write(folder.path("none/a")).ok());
  EXPECT_EQ(folder.count(), 0u);
}

} // namespace
