//===- CpuDeviceTest.cpp - memory and code on the processor ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Device/Poison.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

using namespace qrt;
using namespace qrt::test;

namespace {

std::unique_ptr<Device> makeDevice(int threads) {
  ThreadTeamOptions options;
  options.numThreads = threads;
  options.adapt = false;
  return *createCpuDevice(options);
}

TEST(CpuDevice, MemoryIsAlignedAndZero) {
  auto device = makeDevice(1);
  for (size_t size : {size_t(1), size_t(100), size_t(4096), size_t(3) << 20, size_t(9) << 20}) {
    auto buffer = device->allocate(size);
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    EXPECT_EQ((*buffer)->size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*buffer)->data()) % 64, 0u);
    EXPECT_TRUE(std::all_of((*buffer)->data(), (*buffer)->data() + size,
                            [](uint8_t byte) { return byte == 0; }));
    std::memset((*buffer)->data(), 0xAB, size);
#ifdef QRT_HAS_ASAN
    EXPECT_TRUE(isPoisoned((*buffer)->data() + size));
#endif
  }
}

TEST(CpuDevice, MemoryThatIsNotThereIsAnError) {
  auto device = makeDevice(1);
  for (size_t size : {SIZE_MAX, size_t(1) << 50, size_t(1) << 46}) {
    auto buffer = device->allocate(size);
    if (buffer.ok())
      continue; // a system that promises everything
    EXPECT_EQ(buffer.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_NE(buffer.status().message().find(std::to_string(size)), std::string::npos);
  }
  EXPECT_FALSE(device->allocate(SIZE_MAX).ok());
}

TEST(CpuDevice, BuffersOutliveTheDevice) {
  auto device = makeDevice(2);
  auto buffer = *device->allocate(100);
  auto image = *device->load(fakeLibrary(), "fake");
  device.reset();
  std::memset(buffer->data(), 1, 100);
  EXPECT_EQ(image->numEntries(), 5u);
}

std::string mappings() {
  std::vector<uint8_t> text = readFile("/proc/self/maps");
  return {text.begin(), text.end()};
}

std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    files.push_back(std::filesystem::canonical(entry.path()).string());
  return files;
}

// Profilers look for symbols in the file that a mapping names.
TEST(CpuDevice, CodeIsKeptInAFolderOnDemand) {
  TemporaryFolder folder;
  auto device = *createCpuDevice({}, folder.path);
  auto image = device->load(fakeLibrary(), "fake");
  ASSERT_TRUE(image.ok()) << image.status();
  const std::vector<std::string> files = filesIn(folder.path);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_NE(mappings().find(files[0]), std::string::npos) << mappings();
  EXPECT_EQ(mappings().find("memfd:quench-code"), std::string::npos);
  image->reset();
  EXPECT_EQ(filesIn(folder.path), files);
  auto other = *createCpuDevice({}, folder / "none");
  EXPECT_EQ(other->load(fakeLibrary(), "fake").status().message(),
            folder / "none: cannot make a file for the code: No such file or directory");
}

TEST(CpuDevice, Name) {
  EXPECT_EQ(makeDevice(1)->name(), "cpu, 1 thread");
  EXPECT_EQ(makeDevice(3)->name(), "cpu, 3 threads");
}

TEST(CpuDevice, LoadsSeveralImages) {
  auto device = makeDevice(1);
  auto a = device->load(fakeLibrary(), "a");
  auto b = device->load(fakeLibrary(), "b");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ((*a)->descriptor(), (*b)->descriptor());
  EXPECT_NE((*a)->descriptor().data(), (*b)->descriptor().data()) << "the same library twice";
  // A file descriptor that was closed is given out again; code must not be confused.
  const auto number = (*a)->numEntries();
  a->reset();
  auto c = device->load(lyingFakeLibrary(), "c");
  ASSERT_TRUE(c.ok());
  EXPECT_NE((*c)->numEntries(), number);
}

TEST(CpuDevice, WhatIsNoLibraryIsRefused) {
  auto device = makeDevice(1);
  std::vector<uint8_t> code = fakeLibrary();
  const std::vector<uint8_t> text = {'h', 'e', 'l', 'l', 'o'};
  auto message = [&](const std::vector<uint8_t> &bytes) {
    return std::string(device->load(bytes, "x.so").status().message());
  };
  EXPECT_EQ(message(text).find("x.so: not a shared library that can be loaded here: "), 0u);
  EXPECT_EQ(message({}).find("x.so: not a shared library that can be loaded here: "), 0u);
  code.resize(64);
  EXPECT_EQ(message(code).find("x.so: not a shared library that can be loaded here: "), 0u);
}

TEST(CpuDevice, AnotherVersionIsRefused) {
  auto device = makeDevice(1);
  absl::Status status = device->load(fakeLibraryOfOtherVersion(), "old.so").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "old.so: compiled for version 99 of the interface between code "
                              "and runtime, this is version 2");
}

TEST(CpuDevice, RunsEntriesOnItsThreads) {
  for (int threads : {1, 2, 3}) {
    auto device = makeDevice(threads);
    auto image = *device->load(fakeLibrary(), "fake");
    // Entry 4 scales; see FakeModel.c.
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {};
    int64_t factor = 3;
    auto workspace = *device->allocate(104 + 64 * size_t(threads));
    qrt_tensor args[] = {{x, {8}}, {&factor, {}}, {y, {}}};
    Launch launch;
    launch.workspace = workspace->data();
    ASSERT_TRUE(device->run(*image, 4, launch, absl::MakeSpan(args)).ok());
    EXPECT_EQ(args[2].dims[0], 8);
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(y[i], 3 * x[i]);
    EXPECT_EQ(device->run(*image, 5, launch, {}).message(), "there is no entry 5, the code has 5");
  }
}

} // namespace
