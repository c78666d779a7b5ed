//===- LoadedModelTest.cpp - models without the compiler ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// There is no compiler beside this program, so whatever is found was kept by the cache.
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/LoadedModel.h"

#include "FakeModel.h"
#include "ModelFile/GgufBuilder.h"

#include "quench-rt/Model/CompilerLibrary.h"
#include "quench-rt/Model/UserCache.h"
#include "quench-rt/Program/Package.h"
#include "quench-rt/Program/Seal.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace qrt;
using namespace qrt::test;

namespace {

class WithoutACompiler : public testing::Test {
protected:
  void SetUp() override {
    if (!compilerIdentity().empty())
      GTEST_SKIP() << "there is a compiler";
    ::setenv("QUENCH_CACHE", (folder / "cache").c_str(), 1);
    cache = *openUserCache({});
    writeFile(options.model, bytes(1));
  }
  void TearDown() override { ::unsetenv("QUENCH_CACHE"); }

  static std::vector<uint8_t> bytes(uint32_t number) {
    GgufBuilder builder;
    builder.addUint32("number", number);
    std::string text = builder.build();
    return {text.begin(), text.end()};
  }

  /// Puts into the cache what some compiler made of the model.
  void compile(const std::string &compiler) {
    NewPackage package;
    package.manifest.producer = compiler;
    package.manifest.activations = "i8";
    package.manifest.weights.kind = WeightsRecord::File;
    package.manifest.weights.path = options.model;
    package.manifest.weights.file = {1, *cache->sourceHash(options.model)};
    package.program = sealProgram("a program", kProgramKey);
    ASSERT_TRUE(writePackage(cache->packagePath(std::string(32, '1')), std::move(package)).ok());
    const std::string key = codeKey(kProgramKey, options.target.keyText(), compiler);
    std::vector<uint8_t> code = fakeLibrary();
    for (char c : codeSeal(key))
      code.push_back(static_cast<uint8_t>(c));
    ASSERT_TRUE(cache->write(ArtifactKind::Code, key, code).ok());
  }

  const std::string kProgramKey = std::string(32, '2');
  TemporaryFolder folder;
  ModelOptions options = [this] {
    ModelOptions options;
    options.model = folder / "model.gguf";
    return options;
  }();
  std::unique_ptr<ArtifactCache> cache;
};

TEST_F(WithoutACompiler, AModelThatWasCompiledHereRuns) {
  EXPECT_NE(describeCode(options).status().message().find("libQuenchCompiler.so"),
            absl::string_view::npos);
  compile("some compiler");
  auto code = describeCode(options);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(code->target, "fake");
}

TEST_F(WithoutACompiler, AnotherModelDoesNot) {
  compile("some compiler");
  options.activations = "f32";
  EXPECT_FALSE(describeCode(options).ok());
  options.activations = "i8";
  EXPECT_TRUE(describeCode(options).ok());
  writeFile(options.model, bytes(22));
  EXPECT_FALSE(describeCode(options).ok());
}

} // namespace
