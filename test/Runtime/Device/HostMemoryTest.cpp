//===- HostMemoryTest.cpp - memory of system and control group ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/HostMemory.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

using namespace qrt;

namespace {

class HostMemoryTest : public testing::Test {
protected:
  void SetUp() override {
    put("/proc/meminfo", "MemTotal:       1000 kB\nMemFree:  300 kB\nMemAvailable:    600 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void put(const std::string &path, const std::string &text) {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }

  std::string root = testing::TempDir() + "host-memory-" +
                     testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(HostMemoryTest, OfTheSystem) {
  auto memory = readHostMemory(root);
  ASSERT_TRUE(memory.has_value());
  EXPECT_EQ(memory->total, 1000u * 1024);
  EXPECT_EQ(memory->available, 600u * 1024);
}

TEST_F(HostMemoryTest, OfTheGroupsAbove) {
  put("/proc/self/cgroup", "1:name=systemd:/x\n0::/outer/inner\n");
  put("/sys/fs/cgroup/outer/inner/memory.max", "max\n");
  put("/sys/fs/cgroup/outer/inner/memory.current", "4096\n");
  EXPECT_EQ(readHostMemory(root)->available, 600u * 1024);
  put("/sys/fs/cgroup/outer/memory.max", "409600\n");
  put("/sys/fs/cgroup/outer/memory.current", "102400\n");
  EXPECT_EQ(readHostMemory(root)->total, 409600u);
  EXPECT_EQ(readHostMemory(root)->available, 307200u);
  // More used than allowed, which can be for a moment.
  put("/sys/fs/cgroup/outer/memory.current", "500000\n");
  EXPECT_EQ(readHostMemory(root)->available, 0u);
}

TEST_F(HostMemoryTest, WhereTheSystemDoesNotTell) {
  EXPECT_FALSE(readHostMemory("/nowhere").has_value());
  put("/proc/meminfo", "MemTotal: much\n");
  EXPECT_FALSE(readHostMemory(root).has_value());
}

TEST(HostMemory, OfThisMachine) {
  auto memory = readHostMemory();
  ASSERT_TRUE(memory.has_value());
  EXPECT_GT(memory->available, 0u);
  EXPECT_LE(memory->available, memory->total);
}

} // namespace
