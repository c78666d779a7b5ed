//===- CpuFeaturesTest.cpp - against the compiler's own detection ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/CpuFeatures.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace qrt;

namespace {

TEST(CpuFeatures, SortedAndWithoutRepetition) {
  const std::vector<std::string> &features = cpuFeatures();
  EXPECT_TRUE(std::is_sorted(features.begin(), features.end()));
  EXPECT_EQ(std::adjacent_find(features.begin(), features.end()), features.end());
  EXPECT_FALSE(hasCpuFeature("no such thing"));
  EXPECT_FALSE(hostArchitecture().empty());
}

TEST(CpuFeatures, OnlyWhatIsKnownToBeMissingIsMissing) {
  std::vector<std::string> required = cpuFeatures();
  required.push_back("fast-hops"); // of which nobody knows whether this machine has it
  EXPECT_TRUE(missingCpuFeatures(required).empty());
#if defined(__x86_64__)
  for (const char *name : {"sse4.2", "avx2", "amx-tile"})
    EXPECT_EQ(missingCpuFeatures({name}).empty(), hasCpuFeature(name)) << name;
#endif
}

#if defined(__x86_64__)
TEST(CpuFeatures, AgreesWithTheCompiler) {
  __builtin_cpu_init();
  EXPECT_EQ(hasCpuFeature("sse4.2"), __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(hasCpuFeature("popcnt"), __builtin_cpu_supports("popcnt") != 0);
  EXPECT_EQ(hasCpuFeature("avx"), __builtin_cpu_supports("avx") != 0);
  EXPECT_EQ(hasCpuFeature("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(hasCpuFeature("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(hasCpuFeature("bmi2"), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_EQ(hasCpuFeature("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(hasCpuFeature("avx512bw"), __builtin_cpu_supports("avx512bw") != 0);
  EXPECT_EQ(hasCpuFeature("avx512vl"), __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(hasCpuFeature("avx512vnni"), __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_EQ(hasCpuFeature("gfni"), __builtin_cpu_supports("gfni") != 0);
}
#endif

} // namespace
