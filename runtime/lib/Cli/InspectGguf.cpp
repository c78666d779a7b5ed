//===- InspectGguf.cpp - what a GGUF file consists of ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InspectReport.h"

#include "quench-rt/Formats/Format.h"
#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

using namespace qrt;
using namespace qrt::cli;

/// A value on one line; arrays by type and length.
static std::string valueText(const GgufValue &value) {
  if (auto text = value.asString())
    return quoted(*text);
  if (auto truth = value.asBool())
    return *truth ? "true" : "false";
  if (isGgufInteger(value.type())) {
    if (auto number = value.asInt())
      return absl::StrCat(*number);
    if (auto number = value.asUint())
      return absl::StrCat(*number);
  }
  if (auto number = value.asFloat())
    return absl::StrCat(*number);
  return value.describeType();
}

/// The name of a type that the format table lacks, as far as it has one.
static std::string typeText(const GgufFile &file, const GgufTensor &tensor) {
  absl::StatusOr<Format> format = file.formatOf(tensor);
  if (format.ok())
    return std::string(formatName(*format));
  std::string_view name = ggmlTypeName(tensor.ggmlType);
  return absl::StrCat(name.empty() ? "type " + std::to_string(tensor.ggmlType) : std::string(name),
                      " (not supported)");
}

/// Whether a metadata entry is worth a line of the report.
static bool isDetail(std::string_view key) {
  return key != "general.architecture" && key != "general.name" &&
         !absl::EndsWith(toAbsl(key), "chat_template");
}

static std::string_view textOr(const GgufFile &file, std::string_view key,
                               std::string_view otherwise) {
  const GgufValue *value = file.find(key);
  return value ? value->asString().value_or(otherwise) : otherwise;
}

absl::StatusOr<InspectReport> cli::inspectGguf(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(GgufFile file, GgufFile::open(path));
  InspectReport report;
  report.path = path;
  report.kind = "gguf";
  report.details.emplace_back("GGUF version", absl::StrCat(file.version()));
  // Whatever a damaged model says is shown as it is.
  std::string_view architecture = textOr(file, "general.architecture", "unknown");
  report.architecture = printable(architecture);
  report.name = printable(textOr(file, "general.name", ""));
  if (const GgufValue *context = file.find(std::string(architecture) + ".context_length"))
    report.context = context->asInt().value_or(0);
  if (const GgufValue *tokens = file.find("tokenizer.ggml.tokens"))
    report.vocabulary = static_cast<int64_t>(tokens->arraySize());
  for (const GgufMetadata &entry : file.metadata())
    if (isDetail(entry.key))
      report.details.emplace_back(printable(entry.key), valueText(entry.value));
  for (const GgufTensor &tensor : file.tensors()) {
    TensorSummary summary;
    summary.name = printable(tensor.name);
    summary.format = typeText(file, tensor);
    summary.shape.assign(tensor.shape().begin(), tensor.shape().end());
    summary.bytes = tensor.bytes;
    report.tensors.push_back(std::move(summary));
  }
  return report;
}
