//===- BuildIdTest.cpp - build IDs of whole and damaged ELF files ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BuildId.h"

#include "quench-rt/Support/MappedFile.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace qrt;

namespace {

std::vector<uint8_t> ownProgram() {
  absl::StatusOr<MappedFile> file = MappedFile::open("/proc/self/exe");
  EXPECT_TRUE(file.ok());
  return {file->data(), file->data() + file->size()};
}

TEST(BuildId, IsWhatTheLinkerWasTold) {
  EXPECT_EQ(findBuildId(ownProgram()), "00112233445566778899aabbccddeeff");
}

TEST(BuildId, OfNoElfFileIsEmpty) {
  EXPECT_EQ(findBuildId({}), "");
  std::vector<uint8_t> text(4096, 'x');
  EXPECT_EQ(findBuildId(text), "");
}

TEST(BuildId, DamageIsHarmless) {
  std::vector<uint8_t> file = ownProgram();
  file.resize(4096);
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::vector<uint8_t> damaged = file;
    for (int k = 0; k < 4; ++k)
      damaged[random() % 1024] = static_cast<uint8_t>(random());
    damaged.resize(random() % damaged.size());
    findBuildId(damaged); // must not read beyond the end
  }
}

} // namespace
