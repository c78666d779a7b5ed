//===- DescriptorTest.cpp - descriptors, right and wrong ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Descriptor.h"

#include "gtest/gtest.h"

#include "nlohmann/json.hpp"

#include <random>

using namespace qrt;
using nlohmann::json;

namespace {

json good() {
  return json::parse(R"({
    "abi_version": 2, "target": "x86-64-v3", "cpu_features": ["avx2", "fma"], "activations": "i8", "max_rows": 128,
    "workspace_bytes": 1000, "thread_workspace_bytes": 64,
    "weights": [
      {"key": "a", "format": "Q4_1", "layout": "rows8", "shape": [17, 64], "bytes": 960},
      {"key": "n", "format": "f32", "layout": "plain", "shape": [64], "bytes": 256},
      {"key": "q", "format": "f16", "layout": "plain", "shape": [4, 8], "bytes": 64}],
    "caches": [{"kind": "paged", "layers": 30, "heads": 3, "dim": 64, "element": "f16",
                "slots": 32, "page_bytes": 737280}],
    "drafts": [{"source": "lookup", "max": 7}],
    "entries": [{"name": "f",
                 "args": [{"kind": "tensor", "element": "i32", "dims": [-1]},
                          {"kind": "scalar", "element": "index"},
                          {"kind": "cache", "cache": 0}],
                 "results": [{"kind": "tensor", "element": "f32", "dims": [-1, 100], "name": "blk.0"},
                             {"kind": "scalar", "element": "i64"}]}],
    "kernels": [{"name": "linear", "uses": 210, "reads": ["a", "q"], "beside": []}]})");
}

TEST(Descriptor, ReadsEverything) {
  auto library = parseDescriptor(good().dump(), "x.so");
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(library->target, "x86-64-v3");
  EXPECT_EQ(library->activations, "i8");
  EXPECT_EQ(library->maxRows, 128);
  EXPECT_EQ(library->workspaceBytes, 1000u);
  EXPECT_EQ(library->threadWorkspaceBytes, 64u);
  ASSERT_EQ(library->weights.size(), 3u);
  EXPECT_EQ(library->weights[0].format, Format::Q4_1);
  EXPECT_EQ(library->weights[0].layout, Layout::Rows8);
  EXPECT_EQ(library->weights[0].rows, 17);
  EXPECT_FALSE(library->weights[0].vector);
  EXPECT_TRUE(library->weights[1].vector);
  EXPECT_EQ(library->weights[1].columns, 64);
  EXPECT_EQ(library->weights[2].key, "q");
  EXPECT_EQ(library->caches[0].geometry.slots(), 32);
  EXPECT_EQ(library->drafts[0].max, 7);
  ASSERT_EQ(library->entries.size(), 1u);
  const EntrySpec &entry = library->entries[0];
  EXPECT_EQ(describe(entry.args[0]), "tensor<?xi32>");
  EXPECT_EQ(describe(entry.args[1]), "i64");
  EXPECT_EQ(describe(entry.args[2]), "cache");
  EXPECT_EQ(describe(entry.results[0]), "tensor<?x100xf32>");
  EXPECT_EQ(entry.results[0].name, "blk.0");
  EXPECT_EQ(entry.args[0].name, "");
  EXPECT_EQ(library->cpuFeatures, std::vector<std::string>({"avx2", "fma"}));
  EXPECT_EQ(library->kernels[0].uses, 210);
  EXPECT_EQ(library->kernels[0].reads, std::vector<std::string>({"a", "q"}));
  EXPECT_EQ(library->findEntry("f"), &entry);
  EXPECT_EQ(library->findEntry("g"), nullptr);
}

TEST(Descriptor, AnotherVersionIsRefusedByNumber) {
  json value = good();
  value["abi_version"] = 1;
  absl::Status status = parseDescriptor(value.dump(), "x.so").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "x.so: compiled for version 1 of the interface between code and "
                              "runtime, this is version 2");
}

struct Wrong {
  const char *pointer; ///< of the member to replace
  const char *value;   ///< JSON; empty removes the member
  const char *message;
};

class WrongDescriptor : public testing::TestWithParam<Wrong> {};

TEST_P(WrongDescriptor, NamesTheMember) {
  json value = good();
  json::json_pointer pointer(GetParam().pointer);
  if (*GetParam().value)
    value[pointer] = json::parse(GetParam().value);
  else
    value[pointer.parent_pointer()].erase(pointer.back());
  absl::Status status = parseDescriptor(value.dump(), "x").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Members, WrongDescriptor,
    testing::Values(
        Wrong{"/target", "", "x: 'target': missing"},
        Wrong{"/target", "3", "x: 'target': found number, expected a string"},
        Wrong{"/max_rows", "0", "x: 'max_rows': found 0, expected an integer from 1 to 1048576"},
        Wrong{"/max_rows", "1.5",
              "x: 'max_rows': found number, expected an integer from 1 to 1048576"},
        Wrong{"/max_rows", "18446744073709551615",
              "x: 'max_rows': found 18446744073709551615, expected an integer from 1 to 1048576"},
        Wrong{"/workspace_bytes", "-1",
              "x: 'workspace_bytes': found -1, expected an integer from 0 to 70368744177664"},
        Wrong{"/weights", "{}", "x: 'weights': found object, expected an array"},
        Wrong{"/weights/1", "7", "x: weights[1]: found number, expected an object"},
        Wrong{"/weights/0/format", "\"Q9\"",
              "x: weights[0]: 'format': found 'Q9', supported are F32, F16, BF16, Q4_0, Q4_1, "
              "Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K"},
        Wrong{"/weights/0/layout", "\"tiled\"",
              "x: weights[0]: 'layout': found 'tiled', expected plain or rows8"},
        Wrong{"/weights/0/shape", "[]", "x: weights[0]: 'shape': expected [N, K] or [K]"},
        Wrong{"/weights/0/shape", "[1,2,3]",
              "x: weights[0]: 'shape': found 3 elements, expected at most 2"},
        Wrong{"/weights/0/shape", "[17, \"a\"]",
              "x: weights[0]: 'shape[1]': found string, expected an integer from 1 to "
              "1099511627776"},
        Wrong{"/weights/0/shape", "[17, 63]",
              "x: weights[0]: 'bytes': this format has no such layout or shape"},
        Wrong{"/weights/0/bytes", "961",
              "x: weights[0]: 'bytes': found 961, but format, layout and shape need 960"},
        Wrong{"/weights/2/key", "7", "x: weights[2]: 'key': found number, expected a string"},
        Wrong{"/caches/0/kind", "\"ring\"", "x: caches[0]: 'kind': found 'ring', expected paged"},
        Wrong{"/caches/0/element", "\"i8\"",
              "x: caches[0]: 'element': found i8, expected f16 or f32"},
        Wrong{"/caches/0/page_bytes", "1",
              "x: caches[0]: 'page_bytes': found 1, but the shape needs 737280"},
        Wrong{"/caches/0/dim", "1048576",
              "x: caches[0]: 'slots': cache pages of 30 layers, 3 heads, dim 1048576 and 32 "
              "slots: expected at most 1073741824 bytes"},
        Wrong{"/drafts/0/max", "8",
              "x: drafts[0]: 'max': found 8, expected an integer from 0 to 7"},
        Wrong{"/entries/0/args/0/kind", "\"list\"",
              "x: entries[0]: args[0]: 'kind': found 'list', expected tensor, scalar or cache"},
        Wrong{"/entries/0/args/0/element", "\"f64\"",
              "x: entries[0]: args[0]: 'element': found 'f64', expected f32, f16, i64, index, "
              "i32, i8 or u8"},
        Wrong{"/entries/0/args/0/dims", "[1,1,1,1,1]",
              "x: entries[0]: args[0]: 'dims': found 5 elements, expected at most 4"},
        Wrong{"/entries/0/args/0/dims", "[-2]",
              "x: entries[0]: args[0]: 'dims[0]': found -2, expected an integer from -1 to "
              "1099511627776"},
        Wrong{"/entries/0/args/0/dims", "[1099511627776, 1099511627776]",
              "x: entries[0]: args[0]: 'dims': more than 70368744177664 bytes"},
        Wrong{"/entries/0/args/2/cache", "1",
              "x: entries[0]: args[2]: 'cache': found 1, expected an integer from 0 to 0"},
        Wrong{"/entries/0/results/0/kind", "\"cache\"",
              "x: entries[0]: results[0]: 'kind': found 'cache', expected tensor or scalar"},
        Wrong{"/cpu_features", "[1]", "x: 'cpu_features': found number, expected strings"},
        Wrong{"/kernels/0/reads", "7", "x: kernels[0]: 'reads': found number, expected an array"},
        Wrong{"/kernels/0/uses", "", "x: kernels[0]: 'uses': missing"}));

TEST(Descriptor, WhatIsNoJsonIsRefused) {
  EXPECT_EQ(parseDescriptor("", "x").status().message(), "x: not valid JSON");
  EXPECT_EQ(parseDescriptor("{", "x").status().message(), "x: not valid JSON");
  EXPECT_EQ(parseDescriptor("[1]", "x").status().message(),
            "x: found JSON of type array, expected an object");
  const std::string deep(100000, '[');
  EXPECT_EQ(parseDescriptor(deep, "x").status().message(), "x: not valid JSON");
  const std::string closed = "{\"a\":" + std::string(50000, '[') + std::string(50000, ']') + "}";
  EXPECT_EQ(parseDescriptor(closed, "x").status().message(), "x: 'abi_version': missing");
}

// Damaged text never crashes; whether it is still valid does not matter here.
TEST(Descriptor, DamagedTextIsSurvived) {
  const std::string text = good().dump();
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (unsigned n = 1 + random() % 4; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)parseDescriptor(damaged, "x");
    (void)parseDescriptor(text.substr(0, random() % text.size()), "x");
  }
}

} // namespace
