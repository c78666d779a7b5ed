//===- InspectReport.h - what a model consists of -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_INSPECTREPORT_H
#define QUENCH_RT_LIB_CLI_INSPECTREPORT_H

#include "Output.h"

#include "quench-rt/Program/MemoryPlan.h"

#include "absl/status/statusor.h"
#include "absl/types/optional.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qrt::cli {

struct TensorSummary {
  std::string name;
  std::string format;
  std::vector<int64_t> shape;
  uint64_t bytes = 0;
  std::vector<std::string> kernels;           ///< that read it; norms and the like are no kernels
  std::vector<std::string> layerKernels = {}; ///< that read no weight, in the layer that has it
};

struct KernelSummary {
  std::string name;
  int64_t uses = 0; ///< how often the program calls it
};

struct InspectReport {
  std::string path;
  std::string kind; ///< "gguf" or "package"
  std::string architecture;
  std::string name;
  int64_t context = 0;
  int64_t vocabulary = 0;
  std::vector<TensorSummary> tensors; ///< in the order of the file
  /// What else the model says about itself, in the order of the file.
  std::vector<std::pair<std::string, std::string>> details;
  std::string target;      ///< of the kernels
  std::string activations; ///< "f32" or "i8"
  std::vector<KernelSummary> kernels;
  absl::optional<MemoryPlan> memory; ///< of that code, on all cores
  std::string kernelNote;            ///< why there are no kernels
};

/// A text from a model's file, safe to print: one line, without control characters.
std::string printable(std::string_view text);

absl::StatusOr<InspectReport> inspectGguf(const std::string &path);
absl::StatusOr<InspectReport> inspectPackage(const std::string &path);

/// Adds the kernels of the code for this machine, and what memory it needs, which is compiled if
/// need be; if that fails the report says why.
void addKernels(const std::string &model, InspectReport &report);

/// A plan for a sequence of as many positions as the model's context has.
Json memoryAsJson(const MemoryPlan &plan, int64_t context);
std::string memoryAsText(const MemoryPlan &plan, int64_t context);

Json reportAsJson(const InspectReport &report);
std::string reportAsText(const InspectReport &report, bool allTensors);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_INSPECTREPORT_H
