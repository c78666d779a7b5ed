//===- Debug.cpp - quench-run debug ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Errors.h"
#include "ModelFlags.h"
#include "Output.h"
#include "TokenSource.h"
#include "TraceFiles.h"

#include "quench-rt/Decode/Trace.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  ModelOptions model;
  TokenSource tokens;
  std::string against;
  std::string dump;
  double tolerance = 0;
  bool json = false;
};

struct Summary {
  double largest = 0, meanSquare = 0;
  int64_t notFinite = 0;
};
} // namespace

static absl::StatusOr<Trace> traceOf(ModelOptions options, absl::Span<const int32_t> tokens) {
  options.target.trace = true;
  QRT_ASSIGN_OR_RETURN(LoadedModel model, loadModel(options));
  return runTrace(*model.executable, tokens);
}

/// The other side of the comparison.
static absl::StatusOr<Trace> otherTrace(const Options &options, absl::Span<const int32_t> tokens,
                                        const Trace &trace) {
  absl::string_view against = options.against;
  ModelOptions other = options.model;
  if (against == "portable") {
    other.target.portable = true;
    return traceOf(other, tokens);
  }
  if (against == "f32" || against == "i8") {
    other.activations = std::string(against);
    return traceOf(other, tokens);
  }
  if (absl::ConsumePrefix(&against, "target=")) {
    other.target.target = std::string(against);
    return traceOf(other, tokens);
  }
  if (absl::ConsumePrefix(&against, "model=")) {
    other.model = std::string(against);
    return traceOf(other, tokens);
  }
  if (std::error_code error; std::filesystem::is_directory(options.against, error))
    return readTrace(options.against, trace);
  return usageError(
      absl::StrCat("--against: found ", qrt::quoted(options.against),
                   ", expected portable, f32, i8, target=CPU, model=MODEL or a folder "
                   "with NAME.npy files"));
}

static Summary summarize(const TracedTensor &tensor) {
  Summary summary;
  for (float value : tensor.values) {
    if (!std::isfinite(value)) {
      ++summary.notFinite;
      continue;
    }
    const auto number = static_cast<double>(value);
    summary.largest = std::max(summary.largest, std::abs(number));
    summary.meanSquare += number * number;
  }
  summary.meanSquare /= static_cast<double>(std::max<size_t>(tensor.values.size(), 1));
  return summary;
}

static void show(const Trace &trace, bool json) {
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows = {
      {"tensor", "columns", "largest", "root mean square", "not finite"}};
  for (const TracedTensor &tensor : trace) {
    const Summary summary = summarize(tensor);
    const double mean = std::sqrt(summary.meanSquare);
    list.push_back({{"name", tensor.name},
                    {"columns", tensor.columns},
                    {"largest", summary.largest},
                    {"root_mean_square", mean},
                    {"not_finite", summary.notFinite}});
    rows.push_back({tensor.name, absl::StrCat(tensor.columns),
                    absl::StrFormat("%.4g", summary.largest), absl::StrFormat("%.4g", mean),
                    absl::StrCat(summary.notFinite)});
  }
  if (json)
    printJson({{"tensors", std::move(list)}});
  else
    print(formatTable(rows));
}

/// Shows the differences, and fails if there is one.
static absl::Status showDifferences(const Options &options,
                                    const std::vector<Difference> &differences) {
  auto first = std::find_if(differences.begin(), differences.end(),
                            [&](const Difference &one) { return one.exceeds(options.tolerance); });
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows = {
      {"tensor", "largest", "difference", "token", "column", "bits"}};
  for (const Difference &one : differences) {
    // JSON has no infinity.
    list.push_back({{"name", one.name},
                    {"largest", one.largest},
                    {"difference", std::isfinite(one.most) ? Json(one.most) : Json(nullptr)},
                    {"row", one.row},
                    {"column", one.column},
                    {"same_bits", one.sameBits}});
    rows.push_back({one.name, absl::StrFormat("%.4g", one.largest),
                    absl::StrFormat("%.3g", one.most), absl::StrCat(one.row),
                    absl::StrCat(one.column), one.sameBits ? "same" : "differ"});
  }
  if (options.json)
    printJson(
        {{"tensors", std::move(list)},
         {"tolerance", options.tolerance},
         {"first_divergence", first == differences.end() ? Json(nullptr) : Json(first->name)}});
  else
    print(formatTable(rows));
  if (first == differences.end())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s: tensor %s is the first that differs from that of %s: by %.3g in token %d, column %d, "
      "where the largest number is %.4g; expected at most %g of that",
      options.model.model, qrt::quoted(first->name), options.against, first->most, first->row,
      first->column, first->largest, options.tolerance));
}

static absl::Status debug(const Options &options) {
  if (!(options.tolerance >= 0))
    return usageError(absl::StrCat("--tolerance: found ", options.tolerance,
                                   ", expected 0 (the same bits) or a positive number"));
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> tokens, options.tokens.read(options.model.model));
  QRT_ASSIGN_OR_RETURN(Trace trace, traceOf(options.model, tokens));
  if (!options.dump.empty())
    QRT_RETURN_IF_ERROR(writeTrace(options.dump, trace));
  if (options.against.empty()) {
    show(trace, options.json);
    return absl::OkStatus();
  }
  QRT_ASSIGN_OR_RETURN(Trace other, otherTrace(options, tokens, trace));
  trace.erase(std::remove_if(trace.begin(), trace.end(),
                             [&](const TracedTensor &tensor) {
                               return std::none_of(other.begin(), other.end(),
                                                   [&](const TracedTensor &candidate) {
                                                     return candidate.name == tensor.name;
                                                   });
                             }),
              trace.end());
  absl::StatusOr<std::vector<Difference>> differences = compareTraces(trace, other);
  if (!differences.ok())
    return withContext(differences.status(), options.against);
  return showDifferences(options, *differences);
}

void cli::addDebugCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "debug", "Shows what each layer computes, and where two ways of computing part.",
      "  quench-run debug model.gguf -p \"The capital of France is\"\n"
      "  quench-run debug model.gguf --tokens 1,2,3 --against portable\n"
      "  quench-run debug model.gguf --tokens 1,2,3 --against f32 --tolerance 0.05\n"
      "  quench-run debug model.gguf --tokens 1,2,3 --dump trace\n"
      "  quench-run debug package --tokens 1,2,3 --against trace --json",
      debug);
  addModelFlags(command, options.model);
  options.tokens.addTo(command);
  command.text("--against", "OTHER", options.against,
               "Compares with another run: portable, f32, i8, target=CPU, model=MODEL, or a folder "
               "with files NAME.npy of shape [tokens, columns]. Exit status 1 if they differ");
  command.number("--tolerance", "T", options.tolerance,
                 "Differences up to T times a tensor's largest number count as none; 0 (the "
                 "default): only the same bits do");
  command.text("--dump", "DIR", options.dump, "Writes each tensor into this new folder");
  command.flag("--json", options.json,
               "Prints {tensors: [{name, columns, largest, root_mean_square, not_finite}]}, or "
               "{tensors: [{name, largest, difference, row, column, same_bits}], tolerance, "
               "first_divergence}");
}
