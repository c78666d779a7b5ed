//===- CpuFeatures.cpp - what the processor of this machine can do --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/CpuFeatures.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

using namespace qrt;

#if defined(__x86_64__)

namespace {

enum Register { EAX, EBX, ECX, EDX };

/// Registers that the operating system must save for an extension, as bits of XCR0.
constexpr uint64_t kNothing = 0;
constexpr uint64_t kYmm = 0x6;
constexpr uint64_t kZmm = 0xE6;
constexpr uint64_t kTile = 0x60000;

struct FeatureBit {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  int bit;
  uint64_t state;
};

constexpr FeatureBit kFeatures[] = {
    {"sse3", 1, 0, ECX, 0, kNothing},
    {"ssse3", 1, 0, ECX, 9, kNothing},
    {"fma", 1, 0, ECX, 12, kYmm},
    {"cx16", 1, 0, ECX, 13, kNothing},
    {"sse4.1", 1, 0, ECX, 19, kNothing},
    {"sse4.2", 1, 0, ECX, 20, kNothing},
    {"popcnt", 1, 0, ECX, 23, kNothing},
    {"avx", 1, 0, ECX, 28, kYmm},
    {"f16c", 1, 0, ECX, 29, kYmm},
    {"bmi", 7, 0, EBX, 3, kNothing},
    {"avx2", 7, 0, EBX, 5, kYmm},
    {"bmi2", 7, 0, EBX, 8, kNothing},
    {"avx512f", 7, 0, EBX, 16, kZmm},
    {"avx512dq", 7, 0, EBX, 17, kZmm},
    {"avx512cd", 7, 0, EBX, 28, kZmm},
    {"avx512bw", 7, 0, EBX, 30, kZmm},
    {"avx512vl", 7, 0, EBX, 31, kZmm},
    {"avx512vbmi", 7, 0, ECX, 1, kZmm},
    {"avx512vbmi2", 7, 0, ECX, 6, kZmm},
    {"gfni", 7, 0, ECX, 8, kNothing},
    {"avx512vnni", 7, 0, ECX, 11, kZmm},
    {"avx512bitalg", 7, 0, ECX, 12, kZmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, kZmm},
    {"amx-bf16", 7, 0, EDX, 22, kTile},
    {"avx512fp16", 7, 0, EDX, 23, kZmm},
    {"amx-tile", 7, 0, EDX, 24, kTile},
    {"amx-int8", 7, 0, EDX, 25, kTile},
    {"avxvnni", 7, 1, EAX, 4, kYmm},
    {"avx512bf16", 7, 1, EAX, 5, kZmm},
    {"avxvnniint8", 7, 1, EDX, 4, kYmm},
    {"lzcnt", 0x80000001, 0, ECX, 5, kNothing},
};

uint64_t savedState() {
  uint32_t regs[4];
  // XGETBV exists only where the system has switched it on (OSXSAVE).
  if (!__get_cpuid_count(1, 0, &regs[EAX], &regs[EBX], &regs[ECX], &regs[EDX]) ||
      !(regs[ECX] >> 27 & 1))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

std::vector<std::string> detect() {
  std::vector<std::string> found;
  uint64_t saved = savedState();
  for (const FeatureBit &feature : kFeatures) {
    uint32_t regs[4];
    if (__get_cpuid_count(feature.leaf, feature.subleaf, &regs[EAX], &regs[EBX], &regs[ECX],
                          &regs[EDX]) &&
        (regs[feature.where] >> feature.bit & 1) && (saved & feature.state) == feature.state)
      found.push_back(feature.name);
  }
  return found;
}

std::vector<std::string> known() {
  std::vector<std::string> names;
  for (const FeatureBit &feature : kFeatures)
    names.push_back(feature.name);
  return names;
}

} // namespace

std::string qrt::cpuModelName() {
  char name[49] = {};
  for (uint32_t part = 0; part < 3; ++part) {
    uint32_t regs[4];
    if (!__get_cpuid(0x80000002 + part, &regs[EAX], &regs[EBX], &regs[ECX], &regs[EDX]))
      return "";
    std::memcpy(name + 16 * part, regs, 16);
  }
  std::string text(name);
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

absl::string_view qrt::hostArchitecture() { return "x86_64"; }

#elif defined(__aarch64__)

static std::vector<std::string> detect() {
  std::vector<std::string> found;
  unsigned long caps = getauxval(AT_HWCAP);
  auto add = [&](unsigned long bit, const char *name) {
    if (caps & bit)
      found.push_back(name);
  };
  add(HWCAP_ASIMD, "neon");
  add(HWCAP_ASIMDDP, "dotprod");
  add(HWCAP_ASIMDHP, "fullfp16");
  add(HWCAP_SVE, "sve");
#ifdef HWCAP2_I8MM
  if (getauxval(AT_HWCAP2) & HWCAP2_I8MM)
    found.push_back("i8mm");
#endif
  return found;
}

static std::vector<std::string> known() { return {"neon", "dotprod", "fullfp16", "sve", "i8mm"}; }

std::string qrt::cpuModelName() { return ""; }

absl::string_view qrt::hostArchitecture() { return "aarch64"; }

#else

static std::vector<std::string> detect() { return {}; }

static std::vector<std::string> known() { return {}; }

std::string qrt::cpuModelName() { return ""; }

absl::string_view qrt::hostArchitecture() { return "unknown"; }

#endif

const std::vector<std::string> &qrt::cpuFeatures() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> found = detect();
    std::sort(found.begin(), found.end());
    return found;
  }();
  return features;
}

bool qrt::hasCpuFeature(absl::string_view name) {
  const std::vector<std::string> &features = cpuFeatures();
  return std::find(features.begin(), features.end(), name) != features.end();
}

std::vector<std::string> qrt::missingCpuFeatures(const std::vector<std::string> &required) {
  const std::vector<std::string> checked = known();
  std::vector<std::string> missing;
  for (const std::string &name : required)
    if (std::find(checked.begin(), checked.end(), name) != checked.end() && !hasCpuFeature(name))
      missing.push_back(name);
  return missing;
}
