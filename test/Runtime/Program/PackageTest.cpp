//===- PackageTest.cpp - writing and reading packages, and their code -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Program/Package.h"
#include "quench-rt/Support/Hash.h"

#include "gtest/gtest.h"

#include <filesystem>

using namespace qrt;
using namespace qrt::test;
namespace fs = std::filesystem;

namespace {

const std::string kKey(32, '1');

class PackageTest : public testing::Test {
protected:
  void SetUp() override {
    ArtifactCacheOptions options;
    options.folder = folder.path + "/cache";
    options.note = [this](absl::string_view line) { notes.emplace_back(line); };
    cache = *ArtifactCache::open(std::move(options));
  }

  static NewPackage make() {
    NewPackage package;
    package.manifest.producer = "test";
    package.manifest.activations = "i8";
    package.manifest.weights.kind = WeightsRecord::InPackage;
    package.program = "a program";
    package.tokenizer = "{}";
    package.writeWeights = [](const std::string &path) {
      writeFakeWeights(path);
      return absl::OkStatus();
    };
    package.libraries = {{"x86-64-v3", kKey, {1, 2, 3}}};
    return package;
  }

  /// Nothing but what is listed lies in the folder.
  void expectOnly(std::vector<std::string> names) {
    std::vector<std::string> found;
    for (const auto &entry : fs::directory_iterator(folder.path))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, names);
  }

  TemporaryFolder folder;
  const std::string path = folder / "p";
  std::unique_ptr<ArtifactCache> cache;
  std::vector<std::string> notes;
};

TEST_F(PackageTest, WritesAndReads) {
  ASSERT_TRUE(writePackage(path, make()).ok());
  expectOnly({"cache", "p"});
  auto package = Package::open(path);
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_EQ(*package->program(), "a program");
  EXPECT_TRUE(package->hasTokenizer());
  EXPECT_EQ(*package->tokenizer(), "{}");
  EXPECT_EQ(package->weightsHash(), *hashFile(path + "/weights.safetensors"));
  auto weights = package->openWeights();
  ASSERT_TRUE(weights.ok()) << weights.status();
  EXPECT_TRUE((*weights)->find("table").ok());
  EXPECT_EQ(readFile(*package->libraryPath("x86-64-v3", kKey)), std::vector<uint8_t>({1, 2, 3}));
}

TEST_F(PackageTest, AProgramAlone) {
  NewPackage package = make();
  package.manifest.weights.kind = WeightsRecord::None;
  package.tokenizer = "";
  ASSERT_TRUE(writePackage(path + "/", std::move(package)).ok());
  auto read = Package::open(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(read->hasTokenizer());
  EXPECT_EQ(read->tokenizer().status().message(), path + ": the package has no tokenizer.json");
  EXPECT_EQ(read->openWeights().status().message(), path + ": the package has no weights");
  EXPECT_EQ(read->weightsHash(), "");
}

TEST_F(PackageTest, ReplacesAPackageButNothingElse) {
  ASSERT_TRUE(writePackage(path, make()).ok());
  NewPackage other = make();
  other.program = "another program";
  EXPECT_EQ(writePackage(path, other).message(), path + ": exists, expected a new name");
  EXPECT_EQ(*Package::open(path)->program(), make().program);
  ASSERT_TRUE(writePackage(path, std::move(other), ExistingPackage::Replace).ok());
  EXPECT_EQ(*Package::open(path)->program(), "another program");
  expectOnly({"cache", "p"});

  fs::create_directory(folder / "home");
  writeFile(folder / "home/precious", {1});
  absl::Status status = writePackage(folder / "home", make(), ExistingPackage::Replace);
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(status.message(),
            (folder / "home") + ": exists and is not a package, so it is not replaced");
  EXPECT_EQ(readFile(folder / "home/precious").size(), 1u);
}

TEST_F(PackageTest, AfterAnErrorNothingIsLeft) {
  NewPackage broken = make();
  broken.writeWeights = [](const std::string &file) {
    writeFile(file, {1, 2});
    return absl::UnavailableError("no space");
  };
  EXPECT_EQ(writePackage(path, std::move(broken)).message(), "no space");
  NewPackage badTarget = make();
  badTarget.libraries[0].target = "../../escape";
  EXPECT_EQ(writePackage(path, std::move(badTarget)).code(), absl::StatusCode::kInvalidArgument);
  expectOnly({"cache"});
  EXPECT_FALSE(writePackage(folder / "no/such/folder/p", make()).ok());
}

TEST_F(PackageTest, DamageIsNoticed) {
  ASSERT_TRUE(writePackage(path, make()).ok());
  auto package = Package::open(path);
  writeFile(path + "/program.mlirbc", {'a', ' ', 'p', 'r', 'o', 'g', 'r', 'a', 'n'});
  EXPECT_EQ(std::string(package->program().status().message())
                .find(path + "/program.mlirbc: damaged: content hash "),
            0u);
  writeFile(path + "/program.mlirbc", {'a'});
  EXPECT_EQ(package->program().status().message(),
            path + "/program.mlirbc: has 1 bytes, but the manifest says 9");
  fs::remove(path + "/program.mlirbc");
  EXPECT_EQ(package->program().status().code(), absl::StatusCode::kNotFound);
}

TEST_F(PackageTest, WhatIsNoPackageIsRefused) {
  EXPECT_EQ(Package::open(path).status().message(), path + ": not a package: it has no "
                                                           "manifest.json");
  fs::create_directory(path);
  EXPECT_FALSE(Package::looksLikeOne(path));
  writeFile(path + "/manifest.json", {});
  EXPECT_EQ(Package::open(path).status().message(), path + "/manifest.json: not valid JSON");
}

TEST_F(PackageTest, NamesOfCodeCannotLeadElsewhere) {
  ASSERT_TRUE(writePackage(path, make()).ok());
  auto package = *Package::open(path);
  for (const char *target : {"", ".", "..", "a/b", "../x", "a b", ".hidden"})
    EXPECT_FALSE(package.libraryPath(target, kKey).ok()) << target;
  for (const char *key : {"", "../../../x", "xyz"})
    EXPECT_FALSE(package.libraryPath("native", key).ok()) << key;
}

TEST_F(PackageTest, ForeignCodeIsNotRun) {
  ASSERT_TRUE(writePackage(path, make()).ok());
  auto package = *Package::open(path);
  auto find = [&](bool trust, absl::string_view key = kKey) {
    return findCode(cache.get(), &package, "x86-64-v3", key, trust);
  };
  EXPECT_FALSE(find(false));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0],
            *package.libraryPath("x86-64-v3", kKey) + ": code that was not made here is not run");
  EXPECT_EQ(*find(true), std::vector<uint8_t>({1, 2, 3}));
  EXPECT_FALSE(findCode(nullptr, &package, "x86-64-v3", kKey, false)) << "who could know?";

  // A record of its content hash, for which code can be made to measure, does not count.
  const uint8_t code[] = {1, 2, 3};
  writeFile(folder.path + "/cache/own/" + contentHash(code, 3), {});
  EXPECT_FALSE(find(false));
  // The user's own compiler made the same.
  ASSERT_TRUE(cache->recordOwnProduct(secureHash(code, 3)).ok());
  EXPECT_EQ(*find(false), std::vector<uint8_t>({1, 2, 3}));
  // One changed byte, and it is not.
  writeFile(*package.libraryPath("x86-64-v3", kKey), {1, 2, 4});
  EXPECT_FALSE(find(false));

  EXPECT_FALSE(find(true, std::string(32, '2'))) << "another program's key";
}

TEST_F(PackageTest, TheCacheComesFirst) {
  ASSERT_TRUE(writePackage(path, make()).ok());
  auto package = *Package::open(path);
  const std::vector<uint8_t> code = {9, 9};
  ASSERT_TRUE(cache->write(ArtifactKind::Code, kKey, code).ok());
  EXPECT_EQ(*findCode(cache.get(), &package, "x86-64-v3", kKey, false), code);
  EXPECT_EQ(*findCode(cache.get(), nullptr, "x86-64-v3", kKey, false), code);
}

} // namespace
