//===- InspectPackage.cpp - what a package consists of, and kernels -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InspectReport.h"

#include "ModelFlags.h"

#include "quench-rt/Device/ThreadTeam.h"
#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Program/Package.h"
#include "quench-rt/Support/Size.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <map>

using namespace qrt;
using namespace qrt::cli;

/// Splits the metadata of a quantized weight, "q4_1 576x576"; plain tensors have none.
static TensorSummary summaryOf(const SafetensorsFile &file, const SafetensorsTensor &tensor) {
  TensorSummary summary;
  summary.name = printable(tensor.name);
  summary.format = printable(tensor.dtype);
  summary.shape = tensor.shape;
  summary.bytes = tensor.bytes;
  auto entry = file.metadata().find(tensor.name);
  if (entry == file.metadata().end())
    return summary;
  std::pair<std::string, std::string> parts =
      absl::StrSplit(entry->second, absl::MaxSplits(' ', 1));
  std::vector<int64_t> shape;
  for (absl::string_view word : absl::StrSplit(parts.second, 'x')) {
    int64_t size;
    if (!absl::SimpleAtoi(word, &size) || size < 1)
      return summary;
    shape.push_back(size);
  }
  summary.format = printable(absl::AsciiStrToUpper(parts.first));
  summary.shape = shape;
  return summary;
}

absl::StatusOr<InspectReport> cli::inspectPackage(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(Package package, Package::open(path));
  const Manifest &manifest = package.manifest();
  InspectReport report;
  if (manifest.weights.kind == WeightsRecord::File) {
    QRT_ASSIGN_OR_RETURN(report, inspectGguf(manifest.weights.path));
    report.details.clear();
    report.details.emplace_back("weights", printable(manifest.weights.path));
  } else if (manifest.weights.kind == WeightsRecord::InPackage) {
    QRT_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(package.weightsPath()));
    for (const SafetensorsTensor &tensor : file.tensors())
      report.tensors.push_back(summaryOf(file, tensor));
  }
  report.path = path;
  report.kind = "package";
  report.architecture = printable(manifest.architecture);
  report.name = printable(manifest.name);
  report.context = manifest.contextLength;
  report.vocabulary = manifest.vocabularySize;
  report.details.emplace_back("producer", printable(manifest.producer));
  report.details.emplace_back("activations", manifest.activations);
  for (const auto &[name, record] : manifest.files)
    report.details.emplace_back(name, formatBytes(record.bytes));
  return report;
}

void cli::addKernels(const std::string &model, InspectReport &report) {
  ModelOptions options;
  options.model = model;
  options.listener = commandLineListener();
  absl::StatusOr<LibraryDescriptor> library = describeCode(options);
  if (!library.ok()) {
    report.kernelNote = std::string(library.status().message());
    return;
  }
  report.target = shortTarget(library->target);
  report.activations = library->activations;
  report.memory = planMemory(*library, numUsableCores());
  std::map<absl::string_view, TensorSummary *> tensors;
  for (TensorSummary &tensor : report.tensors)
    tensors[tensor.name] = &tensor;
  for (const KernelSpec &kernel : library->kernels) {
    report.kernels.push_back({kernel.name, kernel.uses});
    for (const std::string &key : kernel.reads)
      if (auto found = tensors.find(printable(key)); found != tensors.end())
        found->second->kernels.push_back(kernel.name);
    for (const std::string &key : kernel.beside)
      if (auto found = tensors.find(printable(key)); found != tensors.end())
        found->second->layerKernels.push_back(kernel.name);
  }
}
