//===- CpuFeatures.h - what the processor of this machine can do ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DEVICE_CPUFEATURES_H
#define QUENCH_RT_DEVICE_CPUFEATURES_H

#include "absl/strings/string_view.h"

#include <string>
#include <vector>

namespace qrt {

/// The instruction-set extensions that code generation distinguishes, by their LLVM
/// names ("avx2", "fma", "f16c", "avx512vnni", "avxvnni", "neon", "dotprod", …), sorted.
/// On x86 an extension counts only if the operating system saves its registers.
/// Detected once. Source of the bits: Intel SDM volume 2, CPUID; AMD APM volume 3.
const std::vector<std::string> &cpuFeatures();

bool hasCpuFeature(absl::string_view name);

/// Those of `required` that this processor is known to lack. Names that no processor is
/// asked for here (most say how to tune) are passed over.
std::vector<std::string> missingCpuFeatures(const std::vector<std::string> &required);

/// "x86_64", "aarch64" or the name the compiler gave to this build's machine.
absl::string_view hostArchitecture();

/// The processor's own name, such as "AMD EPYC 7B13"; empty if it does not say.
std::string cpuModelName();

} // namespace qrt

#endif // QUENCH_RT_DEVICE_CPUFEATURES_H
