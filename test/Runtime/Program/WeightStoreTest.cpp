//===- WeightStoreTest.cpp - packing, keeping, and finding again ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Device/Poison.h"
#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Program/WeightStore.h"

#include "gtest/gtest.h"

#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

using namespace qrt;
using namespace qrt::test;
namespace fs = std::filesystem;

namespace {

class WeightStoreTest : public testing::Test {
protected:
  struct Tensor {
    std::string key;
    Format format;
    int64_t rows, columns;
    std::vector<uint8_t> bytes;
  };

  void SetUp() override {
    ThreadTeamOptions one;
    one.numThreads = 1;
    device = *createCpuDevice(one);
    ArtifactCacheOptions options;
    options.folder = folder.path + "/cache";
    options.note = [this](absl::string_view line) { notes.emplace_back(line); };
    cache = *ArtifactCache::open(std::move(options));

    std::mt19937 random(7);
    // Large enough for several pieces; sizes that are no multiple of 8 or of a page.
    tensors = {{"norm", Format::F32, 1, 96, {}},
               {"v", Format::Q4_1, 147, 576, {}},
               {"head", Format::Q8_0, 5003, 512, {}},
               {"half", Format::F16, 33, 40, {}}};
    for (Tensor &tensor : tensors) {
      tensor.bytes.resize(size_t(tensor.rows) * rowBytes(tensor.format, tensor.columns));
      for (uint8_t &byte : tensor.bytes)
        byte = static_cast<uint8_t>(random());
    }
    writeSource();
    library.weights = {
        spec("norm", Layout::Plain), spec("v", Layout::Rows8),    spec("head", Layout::Rows8),
        spec("head", Layout::Plain), spec("half", Layout::Rows8),
    };
  }

  void writeSource() {
    SafetensorsWriter writer;
    for (const Tensor &tensor : tensors) {
      ASSERT_TRUE(writer
                      .setMetadata(tensor.key, weightMetadata(tensor.format, tensor.rows,
                                                              tensor.columns, tensor.rows == 1))
                      .ok());
      ASSERT_TRUE(writer
                      .addTensor(tensor.key, "U8", {int64_t(tensor.bytes.size())},
                                 tensor.bytes.data(), tensor.bytes.size())
                      .ok());
    }
    ASSERT_TRUE(writer.write(path).ok());
  }

  const Tensor &tensor(const std::string &key) const {
    for (const Tensor &tensor : tensors)
      if (tensor.key == key)
        return tensor;
    std::abort();
  }

  WeightSpec spec(const std::string &key, Layout layout) const {
    WeightSpec spec;
    const Tensor &first = tensor(key);
    spec.format = first.format;
    spec.layout = layout;
    spec.columns = first.columns;
    spec.rows = first.rows;
    spec.vector = first.rows == 1;
    spec.key = key;
    spec.bytes = packedBytes(spec.format, spec.layout, spec.rows, spec.columns);
    return spec;
  }

  absl::StatusOr<std::unique_ptr<WeightStore>> load(const WeightStoreOptions &options) {
    return WeightStore::load(
        *device, library,
        [&] {
          ++opened;
          return openSafetensorsWeights(path);
        },
        options);
  }

  WeightStoreOptions cached() {
    WeightStoreOptions options;
    options.cache = cache.get();
    options.sourceHash = *hashFile(path);
    return options;
  }

  /// Packs as the table of layouts says, all at once.
  void expectRight(const WeightStore &store) {
    for (size_t i = 0; i < library.weights.size(); ++i) {
      const WeightSpec &spec = library.weights[i];
      std::vector<uint8_t> expected(spec.bytes);
      ASSERT_TRUE(pack(spec.format, spec.layout, tensor(spec.key).bytes.data(), spec.rows,
                       spec.columns, expected.data()));
      auto *got = static_cast<const uint8_t *>(store.pointers()[i]);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(got) % 64, 0u);
      EXPECT_EQ(std::memcmp(got, expected.data(), spec.bytes), 0) << "weight " << i;
    }
  }

  TemporaryFolder folder;
  const std::string path = folder / "weights.safetensors";
  std::unique_ptr<Device> device;
  std::unique_ptr<ArtifactCache> cache;
  std::vector<std::string> notes;
  std::vector<Tensor> tensors;
  LibraryDescriptor library;
  int opened = 0;
};

TEST_F(WeightStoreTest, PacksWithoutACache) {
  for (int threads : {1, 2, 3}) {
    WeightStoreOptions options;
    options.threads = threads;
    auto store = load(options);
    ASSERT_TRUE(store.ok()) << store.status();
    expectRight(**store);
    EXPECT_FALSE((*store)->fromCache());
  }
}

TEST_F(WeightStoreTest, TheSecondLoadDoesNotNeedTheSource) {
  auto store = load(cached());
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_FALSE((*store)->fromCache());
  expectRight(**store);
  WeightStoreOptions options = cached();
  fs::remove(path);
  opened = 0;
  store = load(options);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE((*store)->fromCache());
  EXPECT_EQ(opened, 0);
  expectRight(**store);
  EXPECT_TRUE(notes.empty());
}

/// A device with little memory.
class SmallDevice final : public Device {
public:
  std::string name() const override { return "small"; }
  int numThreads() const override { return 1; }
  absl::StatusOr<std::unique_ptr<Buffer>> allocate(size_t) override {
    return absl::ResourceExhaustedError("no memory");
  }
  absl::StatusOr<std::unique_ptr<Image>> load(absl::Span<const uint8_t>,
                                              absl::string_view) override {
    return absl::UnimplementedError("");
  }
  absl::Status run(const Image &, size_t, const Launch &, absl::Span<qrt_tensor>) override {
    return absl::UnimplementedError("");
  }
};

TEST_F(WeightStoreTest, WhereMemoryIsShortTheCacheIsMapped) {
  std::unique_ptr<Device> large = std::exchange(device, std::make_unique<SmallDevice>());
  auto store = load(cached());
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE((*store)->isMapped());
  EXPECT_FALSE((*store)->fromCache());
  expectRight(**store);
  store = load(cached());
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE((*store)->isMapped());
  EXPECT_TRUE((*store)->fromCache());
  expectRight(**store);
  EXPECT_EQ(load({}).status().message(), "no memory");
  // One entry serves both ways.
  device = std::move(large);
  store = load(cached());
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_FALSE((*store)->isMapped());
  EXPECT_TRUE((*store)->fromCache());
  expectRight(**store);
}

TEST_F(WeightStoreTest, MappedOnRequest) {
  WeightStoreOptions options = cached();
  options.map = true;
  for (bool again : {false, true}) {
    auto store = load(options);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_TRUE((*store)->isMapped());
    EXPECT_EQ((*store)->fromCache(), again);
    expectRight(**store);
  }
  options.cache = nullptr;
  auto store = load(options);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_FALSE((*store)->isMapped());
}

TEST_F(WeightStoreTest, AWrongSourceIsRefused) {
  WeightStoreOptions options = cached();
  tensors[0].bytes[0] ^= 1;
  writeSource();
  absl::Status status = load(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(std::string(status.message())
                .find(path + ": not the weights that the program was "
                             "compiled for, or damaged: content hash "),
            0u);
}

TEST_F(WeightStoreTest, ADamagedEntryIsPackedAgain) {
  ASSERT_TRUE(load(cached()).ok());
  const fs::path entry = fs::directory_iterator(folder.path + "/cache/weights")->path();
  std::vector<uint8_t> bytes = readFile(entry);
  bytes[bytes.size() / 2] ^= 1;
  writeFile(entry, bytes);
  auto store = load(cached());
  ASSERT_TRUE(store.ok());
  EXPECT_FALSE((*store)->fromCache());
  expectRight(**store);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("the checksum does not match; ignored"), std::string::npos);
  EXPECT_TRUE((*load(cached()))->fromCache());
}

TEST_F(WeightStoreTest, OtherWeightsHaveAnotherEntry) {
  ASSERT_TRUE(load(cached()).ok());
  library.weights[2].layout = Layout::Plain;
  library.weights[2].bytes = packedBytes(Format::Q8_0, Layout::Plain, 5003, 512);
  auto store = load(cached());
  ASSERT_TRUE(store.ok());
  EXPECT_FALSE((*store)->fromCache());
  tensors[1].bytes[5] ^= 1;
  writeSource();
  store = load(cached());
  ASSERT_TRUE(store.ok());
  EXPECT_FALSE((*store)->fromCache());
  expectRight(**store);
}

TEST_F(WeightStoreTest, WithoutAKnownHashTheSourceGivesTheKey) {
  WeightStoreOptions options;
  options.cache = cache.get();
  EXPECT_FALSE((*load(options))->fromCache());
  EXPECT_TRUE((*load(options))->fromCache());
  EXPECT_TRUE((*load(cached()))->fromCache());
}

TEST_F(WeightStoreTest, WhatDoesNotFitIsNamed) {
  auto message = [&] { return std::string(load({}).status().message()); };
  auto saved = library.weights;
  library.weights[0].columns = 97;
  EXPECT_EQ(message(), path + ": tensor 'norm': found f32 96, but the compiled program expects "
                              "f32 97");
  library.weights = saved;
  library.weights[2].format = Format::Q4_1;
  EXPECT_EQ(message(), path + ": tensor 'head': found q8_0 5003x512, but the compiled program "
                              "expects q4_1 5003x512");
  library.weights = saved;
  library.weights[1].rows = 148;
  EXPECT_EQ(message(), path + ": tensor 'v': found q4_1 147x576, but the compiled program expects "
                              "q4_1 148x576");
  library.weights = saved;
  library.weights[1].key = "none";
  EXPECT_NE(message().find("none"), std::string::npos);
}

TEST_F(WeightStoreTest, GapsArePoisonedUnderTheSanitizer) {
  auto store = *load({});
#ifdef QRT_HAS_ASAN
  for (size_t i = 0; i < library.weights.size(); ++i)
    EXPECT_TRUE(
        isPoisoned(static_cast<const uint8_t *>(store->pointers()[i]) + library.weights[i].bytes));
#endif
  EXPECT_GT(store->size(), 0u);
}

TEST_F(WeightStoreTest, AProgramMayHaveNoWeights) {
  library.weights.clear();
  auto store = load(cached());
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->size(), 0u);
  EXPECT_EQ(opened, 0);
}

} // namespace
