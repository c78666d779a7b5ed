//===- FakeModel.cpp - a model made of the hand-written library -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/ModelFile/Safetensors.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace qrt;

/// Without gtest, so that a failure here names itself in every kind of test.
static void require(const absl::Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "fake model: %s\n", status.ToString().c_str());
  std::abort();
}

static std::string makeFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "quench-test-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    require(absl::InternalError("cannot make a temporary folder"));
  return pattern;
}

test::TemporaryFolder::TemporaryFolder() : path(makeFolder()) {}

test::TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::vector<uint8_t> test::readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void test::writeFile(const std::string &path, const std::vector<uint8_t> &bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

std::vector<uint8_t> test::fakeLibrary() { return readFile(FAKE_MODEL); }
std::vector<uint8_t> test::fakeLibraryOfOtherVersion() { return readFile(FAKE_OTHER_VERSION); }
std::vector<uint8_t> test::lyingFakeLibrary() { return readFile(FAKE_LYING); }

void test::writeFakeWeights(const std::string &path, bool periodic, int fault) {
  float seed[8] = {periodic ? 1.0f : 0.0f, 0.25f, static_cast<float>(fault)};
  float table[32 * 3];
  for (int i = 0; i < 32 * 3; ++i)
    table[i] = static_cast<float>(i * 37 % 101) / 256.0f;
  SafetensorsWriter writer;
  // One weight in each of the two ways that WeightSource.h describes.
  require(writer.setMetadata("seed", "f32 8"));
  require(writer.addTensor("seed", "U8", {32}, seed, sizeof(seed)));
  require(writer.addTensor("table", "F32", {32, 3}, table, sizeof(table)));
  require(writer.write(path));
}

test::FakeModel test::makeFakeModel(int threads, bool periodic, int fault) {
  TemporaryFolder folder;
  const std::string weightsPath = folder / "weights.safetensors";
  writeFakeWeights(weightsPath, periodic, fault);
  FakeModel model;
  ThreadTeamOptions team;
  team.numThreads = threads;
  team.adapt = false;
  auto device = createCpuDevice(team);
  require(device.status());
  model.device = *std::move(device);
  auto library = CompiledLibrary::load(*model.device, fakeLibrary(), "fake model");
  require(library.status());
  auto weights = WeightStore::load(*model.device, (*library)->descriptor(),
                                   [&] { return openSafetensorsWeights(weightsPath); }, {});
  require(weights.status());
  auto executable = Executable::create(*model.device, *std::move(library), *std::move(weights));
  require(executable.status());
  model.executable = *std::move(executable);
  return model;
}
