//===- InspectText.cpp - the report of quench-run inspect, printed --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InspectReport.h"

#include "quench-rt/Support/Size.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace qrt;
using namespace qrt::cli;

std::string cli::printable(std::string_view text) {
  std::string safe = qrt::quoted(text, 200);
  return safe.substr(1, safe.size() - 2);
}

static uint64_t elements(const TensorSummary &tensor) {
  uint64_t product = 1;
  for (int64_t size : tensor.shape)
    product *= static_cast<uint64_t>(size);
  return product;
}

static std::string shapeText(const TensorSummary &tensor) {
  return absl::StrJoin(tensor.shape, "x");
}

Json cli::reportAsJson(const InspectReport &report) {
  Json object = {
      {"model", report.path}, {"kind", report.kind},       {"architecture", report.architecture},
      {"name", report.name},  {"context", report.context}, {"vocabulary", report.vocabulary}};
  uint64_t parameters = 0, bytes = 0;
  Json tensors = Json::array();
  for (const TensorSummary &tensor : report.tensors) {
    parameters += elements(tensor);
    bytes += tensor.bytes;
    tensors.push_back({{"name", tensor.name},
                       {"format", tensor.format},
                       {"shape", tensor.shape},
                       {"bytes", tensor.bytes}});
    if (!report.kernels.empty())
      tensors.back()["kernels"] = tensor.kernels;
  }
  object["parameters"] = parameters;
  object["bytes"] = bytes;
  object["tensors"] = std::move(tensors);
  if (!report.target.empty()) {
    object["target"] = report.target;
    object["activations"] = report.activations;
  }
  Json kernels = Json::array();
  for (const KernelSummary &kernel : report.kernels)
    kernels.push_back({{"name", kernel.name}, {"uses", kernel.uses}});
  object["kernels"] = std::move(kernels);
  if (report.memory)
    object["memory"] = memoryAsJson(*report.memory, report.context);
  if (!report.kernelNote.empty())
    object["kernel_note"] = report.kernelNote;
  Json details = Json::object();
  for (const auto &[key, value] : report.details)
    details[key] = value;
  object["details"] = std::move(details);
  return object;
}

namespace {
/// Tensors with one prefix up to and including the layer's number.
struct Layer {
  int64_t number = -1; ///< -1: not part of a numbered layer
  std::string prefix;
  std::string contents; ///< its tensors without the prefix: equal for equal layers
  std::map<std::string, int> formats;
  std::set<std::string> kernels;
  size_t tensors = 0;
  uint64_t bytes = 0;
};
} // namespace

/// "blk.12.attn_q.weight" is in layer 12 with prefix "blk."; other names are not in a
/// numbered layer.
static Layer layerOf(const std::string &name) {
  Layer layer;
  size_t first = name.find('.');
  if (first == std::string::npos)
    return layer;
  size_t second = name.find('.', first + 1);
  if (second == std::string::npos ||
      !absl::SimpleAtoi(name.substr(first + 1, second - first - 1), &layer.number))
    return layer;
  layer.prefix = name.substr(0, first + 1);
  return layer;
}

static std::vector<Layer> layersOf(const InspectReport &report) {
  std::vector<Layer> layers;
  std::map<std::pair<std::string, int64_t>, size_t> index;
  for (const TensorSummary &tensor : report.tensors) {
    Layer found = layerOf(tensor.name);
    auto [at, isNew] = index.try_emplace({found.prefix, found.number}, layers.size());
    if (isNew)
      layers.push_back(found);
    Layer &layer = layers[at->second];
    size_t skip = found.number < 0 ? 0 : tensor.name.find('.', found.prefix.size()) + 1;
    absl::StrAppend(&layer.contents, tensor.name.substr(skip), " ", tensor.format, " ",
                    shapeText(tensor), "\n");
    ++layer.formats[tensor.format];
    layer.kernels.insert(tensor.kernels.begin(), tensor.kernels.end());
    layer.kernels.insert(tensor.layerKernels.begin(), tensor.layerKernels.end());
    ++layer.tensors;
    layer.bytes += tensor.bytes;
  }
  // Files often have them in the order of their names: 1, 10, 11, 2.
  std::sort(layers.begin(), layers.end(), [](const Layer &a, const Layer &b) {
    return std::tie(a.prefix, a.number) < std::tie(b.prefix, b.number);
  });
  return layers;
}

static std::string layerTable(const InspectReport &report) {
  std::vector<std::vector<std::string>> rows = {{"layer", "tensors", "size", "formats"}};
  if (!report.kernels.empty())
    rows[0].push_back("kernels");
  std::vector<Layer> layers = layersOf(report);
  for (size_t i = 0; i < layers.size();) {
    size_t end = i + 1;
    while (end < layers.size() && layers[i].number >= 0 &&
           layers[end].number == layers[end - 1].number + 1 &&
           layers[end].prefix == layers[i].prefix && layers[end].contents == layers[i].contents)
      ++end;
    const Layer &layer = layers[i];
    std::string name = layer.number < 0 ? "(others)" : absl::StrCat(layer.prefix, layer.number);
    if (end - i > 1)
      absl::StrAppend(&name, " to ", layers[end - 1].number, ", each");
    std::string formats = absl::StrJoin(
        layer.formats, ", ", [](std::string *out, const std::pair<const std::string, int> &f) {
          absl::StrAppend(out, f.second, " ", f.first);
        });
    rows.push_back({name, absl::StrCat(layer.tensors), formatBytes(layer.bytes), formats});
    if (!report.kernels.empty())
      rows.back().push_back(absl::StrJoin(layer.kernels, ", "));
    i = end;
  }
  return formatTable(rows);
}

static std::string formatSummary(const InspectReport &report) {
  struct Total {
    size_t tensors = 0;
    uint64_t elements = 0, bytes = 0;
  };
  std::map<std::string, Total> totals;
  for (const TensorSummary &tensor : report.tensors) {
    Total &total = totals[tensor.format];
    ++total.tensors;
    total.elements += elements(tensor);
    total.bytes += tensor.bytes;
  }
  std::vector<std::vector<std::string>> rows = {{"format", "tensors", "numbers", "size", "bits"}};
  for (const auto &[format, total] : totals)
    rows.push_back({format, absl::StrCat(total.tensors), absl::StrCat(total.elements),
                    formatBytes(total.bytes),
                    absl::StrFormat("%.2f", 8.0 * static_cast<double>(total.bytes) /
                                                static_cast<double>(total.elements))});
  return formatTable(rows);
}

static std::string kernelTable(const InspectReport &report) {
  if (report.kernels.empty())
    return report.kernelNote.empty() ? std::string()
                                     : absl::StrCat("\nno kernels: ", report.kernelNote, "\n");
  std::vector<std::vector<std::string>> rows = {{"kernel", "calls"}};
  for (const KernelSummary &kernel : report.kernels)
    rows.push_back({kernel.name, absl::StrCat(kernel.uses)});
  return absl::StrCat("\ncode for ", report.target, ", activations ", report.activations, "\n",
                      formatTable(rows));
}

static std::string codeText(const InspectReport &report) {
  std::string text = kernelTable(report);
  if (report.memory)
    text += memoryAsText(*report.memory, report.context);
  return text;
}

std::string cli::reportAsText(const InspectReport &report, bool allTensors) {
  uint64_t bytes = 0;
  for (const TensorSummary &tensor : report.tensors)
    bytes += tensor.bytes;
  std::string text =
      absl::StrFormat("%s: %s, architecture %s%s\n", report.path, report.kind, report.architecture,
                      report.name.empty() ? "" : absl::StrCat(", \"", report.name, "\""));
  absl::StrAppendFormat(&text, "context %d, vocabulary %d, %d tensors, %s\n", report.context,
                        report.vocabulary, report.tensors.size(), formatBytes(bytes));
  for (const auto &[key, value] : report.details)
    absl::StrAppend(&text, "  ", key, " = ", value, "\n");
  if (report.tensors.empty())
    return text + codeText(report);
  absl::StrAppend(&text, "\n", formatSummary(report), "\n");
  if (allTensors) {
    std::vector<std::vector<std::string>> rows = {{"tensor", "format", "shape", "size"}};
    for (const TensorSummary &tensor : report.tensors)
      rows.push_back({tensor.name, tensor.format, shapeText(tensor), formatBytes(tensor.bytes)});
    absl::StrAppend(&text, formatTable(rows));
  } else {
    absl::StrAppend(&text, layerTable(report));
  }
  return text + codeText(report);
}
