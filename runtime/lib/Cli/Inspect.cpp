//===- Inspect.cpp - quench-run inspect -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "InspectReport.h"
#include "Output.h"

#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Support/Status.h"

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  std::string model;
  bool tensors = false;
  bool noKernels = false;
  bool json = false;
};
} // namespace

static absl::Status inspect(const Options &options) {
  QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(options.model));
  InspectReport report;
  if (kind == ModelKind::Gguf) {
    QRT_ASSIGN_OR_RETURN(report, inspectGguf(options.model));
  } else {
    QRT_ASSIGN_OR_RETURN(report, inspectPackage(options.model));
  }
  if (!options.noKernels)
    addKernels(options.model, report);
  if (options.json)
    printJson(reportAsJson(report));
  else
    print(reportAsText(report, options.tensors));
  return absl::OkStatus();
}

void cli::addInspectCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "inspect",
      "Shows what a model consists of: architecture, tensors, formats, sizes, kernels, memory.",
      "  quench-run inspect model.gguf\n"
      "  quench-run inspect package --tensors\n"
      "  quench-run inspect model.gguf --no-kernels --json",
      inspect);
  command.argument("model", "MODEL", options.model, "Package or GGUF file");
  command.flag("--tensors", options.tensors, "Lists every tensor, not only each layer");
  command.flag("--no-kernels", options.noKernels,
               "Leaves out the kernels, for which a bare GGUF file may have to be compiled");
  command.flag(
      "--json", options.json,
      "Prints {architecture, tensors: [{name, format, shape, bytes, kernels}], kernels, memory: "
      "{weights, workspace, logits, cache_per_token, cache}, …}");
}
