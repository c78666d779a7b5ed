//===- InspectPackage.cpp - what a package consists of, and kernels -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InspectReport.h"

#include "LoadedModel.h"

#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Program/Package.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

using namespace qrt;
using namespace qrt::cli;

/// Splits the metadata of a quantized weight, "q4_1 576x576"; plain tensors have none.
static TensorSummary summaryOf(const SafetensorsFile &file, const SafetensorsTensor &tensor) {
  TensorSummary summary;
  summary.name = tensor.name;
  summary.format = tensor.dtype;
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
  summary.format = absl::AsciiStrToUpper(parts.first);
  summary.shape = shape;
  return summary;
}

absl::StatusOr<InspectReport> cli::inspectPackage(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(Package package, Package::open(path));
  const Manifest &manifest = package.manifest();
  InspectReport report;
  if (manifest.weights.kind == WeightsRecord::Gguf) {
    QRT_ASSIGN_OR_RETURN(report, inspectGguf(manifest.weights.path));
    report.details.clear();
    report.details.emplace_back("weights", manifest.weights.path);
  } else if (manifest.weights.kind == WeightsRecord::InPackage) {
    QRT_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(package.weightsPath()));
    for (const SafetensorsTensor &tensor : file.tensors())
      report.tensors.push_back(summaryOf(file, tensor));
  }
  report.path = path;
  report.kind = "package";
  report.architecture = manifest.architecture;
  report.name = manifest.name;
  report.context = manifest.contextLength;
  report.vocabulary = manifest.vocabularySize;
  report.details.emplace_back("producer", manifest.producer);
  report.details.emplace_back("activations", manifest.activations);
  for (const auto &[name, record] : manifest.files)
    report.details.emplace_back(name, formatBytes(record.bytes));
  return report;
}

/// Whether a kernel's name, such as quench_matmul_q4_1_i8, contains a word (q4_1).
static bool namesWord(absl::string_view kernel, absl::string_view word) {
  return absl::StrContains(absl::StrCat(kernel, "_"), absl::StrCat("_", word, "_"));
}

/// Attention belongs to the layer whose query weights these are.
static bool isQuery(absl::string_view tensor) { return absl::StrContains(tensor, "attn_q"); }

static void assignKernels(const LibraryDescriptor &library, TensorSummary &tensor) {
  if (tensor.shape.size() < 2)
    return;
  std::string format = absl::AsciiStrToLower(tensor.format);
  for (const KernelSpec &kernel : library.kernels)
    if (namesWord(kernel.name, "attend") ? isQuery(tensor.name) : namesWord(kernel.name, format))
      tensor.kernels.push_back(kernel.name);
}

void cli::addKernels(const std::string &model, InspectReport &report) {
  ModelOptions options;
  options.model = model;
  absl::StatusOr<LibraryDescriptor> library = describeCode(options);
  if (!library.ok()) {
    report.kernelNote = std::string(library.status().message());
    return;
  }
  report.target = shortTarget(library->target);
  report.activations = library->activations;
  for (TensorSummary &tensor : report.tensors)
    assignKernels(*library, tensor);
  for (const KernelSpec &kernel : library->kernels)
    report.kernels.push_back({kernel.name, kernel.uses});
}
