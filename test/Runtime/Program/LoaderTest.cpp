//===- LoaderTest.cpp - a package on its way to running -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Program/Loader.h"

#include "gtest/gtest.h"

#include <filesystem>

using namespace qrt;
using namespace qrt::test;

namespace {

TEST(Loader, RunsAPackage) {
  TemporaryFolder folder;
  const std::string key(32, '7');
  NewPackage contents;
  contents.manifest.producer = "test";
  contents.manifest.activations = "f32";
  contents.manifest.weights.kind = WeightsRecord::InPackage;
  contents.program = "a program";
  contents.writeWeights = [](const std::string &path) {
    writeFakeWeights(path);
    return absl::OkStatus();
  };
  contents.libraries = {{"fake", key, fakeLibrary()}};
  ASSERT_TRUE(writePackage(folder / "p", std::move(contents)).ok());

  ArtifactCacheOptions cacheOptions;
  cacheOptions.folder = folder / "cache";
  auto cache = *ArtifactCache::open(std::move(cacheOptions));
  auto package = *Package::open(folder / "p");
  auto device = *createCpuDevice({});
  auto code = findCode(cache.get(), &package, "fake", key, /*trustCode=*/true);
  ASSERT_TRUE(code);
  LoadOptions options;
  options.cache = cache.get();
  for (bool warm : {false, true}) {
    auto executable = loadProgram(*device, package, *code, options);
    ASSERT_TRUE(executable.ok()) << executable.status();
    EXPECT_EQ((*executable)->weights().fromCache(), warm);
    EXPECT_TRUE((*executable)->descriptor().findEntry("round"));
  }

  // Weights that are not those of the manifest are noticed when they are packed.
  ASSERT_TRUE(cache->clear().ok());
  std::vector<uint8_t> bytes = readFile(package.weightsPath());
  bytes.back() ^= 1;
  writeFile(package.weightsPath(), bytes);
  EXPECT_EQ(loadProgram(*device, package, *code, options).status().code(),
            absl::StatusCode::kDataLoss);
}

} // namespace
