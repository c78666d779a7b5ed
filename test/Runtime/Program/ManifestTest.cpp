//===- ManifestTest.cpp - manifests, right and wrong ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Manifest.h"

#include "gtest/gtest.h"

#include "nlohmann/json.hpp"

using namespace qrt;
using nlohmann::json;

namespace {

const std::string kHash(32, 'a');

Manifest good() {
  Manifest manifest;
  manifest.producer = "quench 0.1.0";
  manifest.name = "A Model";
  manifest.architecture = "llama";
  manifest.activations = "i8";
  manifest.contextLength = 8192;
  manifest.vocabularySize = 49152;
  manifest.files = {{kProgramFile, {100, kHash}}, {kWeightsFile, {5, std::string(32, 'b')}}};
  manifest.weights.kind = WeightsRecord::InPackage;
  return manifest;
}

TEST(Manifest, SurvivesWritingAndReading) {
  for (auto kind : {WeightsRecord::None, WeightsRecord::InPackage, WeightsRecord::File}) {
    Manifest manifest = good();
    manifest.weights.kind = kind;
    if (kind == WeightsRecord::File) {
      manifest.weights.path = "/models/a.gguf";
      manifest.weights.file = {77, std::string(32, 'c')};
    }
    auto read = parseManifest(formatManifest(manifest), "m");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(formatManifest(*read), formatManifest(manifest));
    EXPECT_EQ(read->producer, "quench 0.1.0");
    EXPECT_EQ(read->name, "A Model");
    EXPECT_EQ(read->contextLength, 8192);
    EXPECT_EQ(read->vocabularySize, 49152);
    EXPECT_EQ(read->files.at(kProgramFile).bytes, 100u);
    EXPECT_EQ(read->weights.kind, kind);
    EXPECT_EQ(read->weights.path, manifest.weights.path);
  }
}

TEST(Manifest, KnowsTheWeightsOfADraft) {
  Manifest manifest = good();
  EXPECT_FALSE(json::parse(formatManifest(manifest)).contains("draft_weights"));
  manifest.draftWeights.kind = WeightsRecord::File;
  manifest.draftWeights.path = "/models/small.gguf";
  manifest.draftWeights.file = {7, std::string(32, 'd')};
  auto read = parseManifest(formatManifest(manifest), "m");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(formatManifest(*read), formatManifest(manifest));
  EXPECT_EQ(read->draftWeights.path, "/models/small.gguf");

  json value = json::parse(formatManifest(manifest));
  value["draft_weights"] = {{"kind", "package"}};
  auto refused = parseManifest(value.dump(), "m");
  EXPECT_EQ(std::string(refused.status().message()),
            "m: 'draft_weights': expected kind file, beside other weights");
}

TEST(Manifest, MembersThatAreNotKnownAreIgnored) {
  json value = json::parse(formatManifest(good()));
  value["end_tokens"] = "written by an earlier compiler";
  EXPECT_TRUE(parseManifest(value.dump(), "m").ok());
}

TEST(Manifest, NamesThatAreNoUtf8AreWritten) {
  Manifest manifest = good();
  manifest.name = "\xff\xfe";
  EXPECT_TRUE(parseManifest(formatManifest(manifest), "m").ok());
}

TEST(Manifest, AnotherVersionIsRefusedByNumber) {
  json value = json::parse(formatManifest(good()));
  value["version"] = 7;
  value["producer"] = "quench 9.0";
  absl::Status status = parseManifest(value.dump(), "p/manifest.json").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "p/manifest.json: package of version 7, written by 'quench 9.0'; "
                              "expected version 1");
}

TEST(Manifest, WhatIsWrongIsNamed) {
  auto message = [](const char *pointer, const json &replacement) {
    json value = json::parse(formatManifest(good()));
    value[json::json_pointer(pointer)] = replacement;
    return std::string(parseManifest(value.dump(), "m").status().message());
  };
  EXPECT_EQ(message("/format", "zip"), "m: 'format': found 'zip', expected 'quench package'");
  EXPECT_EQ(message("/name", 3), "m: 'name': found number, expected a string");
  EXPECT_EQ(message("/name", std::string(5000, 'x')),
            "m: 'name': found 5000 bytes, expected at most 4096");
  EXPECT_EQ(message("/activations", "i4"), "m: 'activations': found 'i4', expected f32 or i8");
  EXPECT_EQ(message("/context_length", -1),
            "m: 'context_length': found -1, expected an integer from 0 to 2147483647");
  EXPECT_EQ(message("/files/program.mlirbc/hash", "xyz"),
            "m: 'files': 'program.mlirbc': 'hash': found 'xyz', expected 32 lower-case "
            "hexadecimal digits");
  EXPECT_EQ(message("/files/..~1..~1secret", json::object()),
            "m: 'files': '../../secret': expected program.mlirbc, weights.safetensors or "
            "tokenizer.json");
  EXPECT_EQ(message("/files", json::object()), "m: 'files': 'program.mlirbc': missing");
  EXPECT_EQ(message("/weights/kind", "zip"),
            "m: 'weights': 'kind': found 'zip', expected none, package or file");
  EXPECT_EQ(message("/weights", json({{"kind", "file"}, {"path", "relative"}})),
            "m: 'weights': 'path': found 'relative', expected an absolute path");
  EXPECT_EQ(parseManifest("{\"format\": ", "m").status().message(), "m: not valid JSON");
  EXPECT_EQ(parseManifest(std::string(5 << 20, ' '), "m").status().message(),
            "m: 5242880 bytes of JSON, expected at most 4194304");
}

} // namespace
