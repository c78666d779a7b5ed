//===- Bench.cpp - quench-run bench ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each repetition measures everything: the prompt and the decoding, both from an empty
// cache, then for each width the mean of several steps behind the decoded tokens. A slow
// moment of the machine so falls on all of them alike. The tokens are arbitrary, since
// the work does not depend on them.
//
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "Errors.h"
#include "Input.h"
#include "Measurements.h"
#include "ModelFlags.h"
#include "Output.h"

#include "quench-rt/Device/CpuFeatures.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  ModelOptions model;
  int64_t promptTokens = 512;
  int64_t generatedTokens = 128;
  std::string widths = "1,2,4,8";
  int64_t repeat = 5;
  bool json = false;
};

struct Results {
  Measurements promptSpeed, decodeSpeed;                ///< tokens per second
  std::vector<std::pair<int32_t, Measurements>> widths; ///< milliseconds of a step
};

/// Steps of each width whose mean is one measurement: a single one is short.
constexpr int kStepsOfWidth = 16;
} // namespace

/// Reproducible, spread over the vocabulary (a linear congruential generator, the
/// constants are Knuth's MMIX).
static std::vector<int32_t> arbitraryTokens(size_t count, int64_t vocabulary) {
  std::vector<int32_t> tokens(count);
  uint64_t state = 1;
  for (int32_t &token : tokens) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    token = static_cast<int32_t>((state >> 33) % static_cast<uint64_t>(vocabulary));
  }
  return tokens;
}

static absl::Status measurePrompt(Session &session, const std::vector<int32_t> &tokens,
                                  Measurements &speed) {
  QRT_RETURN_IF_ERROR(session.truncate(0));
  Stopwatch watch;
  QRT_RETURN_IF_ERROR(session.prefill(tokens));
  speed.add(1000 * static_cast<double>(tokens.size()) / watch.milliseconds());
  return absl::OkStatus();
}

// From an empty cache, as the peers measure it. Leaves `count` positions behind.
static absl::Status measureDecode(Session &session, int64_t count, Measurements &speed) {
  QRT_RETURN_IF_ERROR(session.truncate(0));
  int32_t token = 0;
  Stopwatch watch;
  for (int64_t i = 0; i < count; ++i) {
    QRT_ASSIGN_OR_RETURN(Session::Step step, session.greedy({&token, 1}));
    token = step.ids[0];
  }
  speed.add(1000 * static_cast<double>(count) / watch.milliseconds());
  return absl::OkStatus();
}

static absl::Status measureWidth(Session &session, const std::vector<int32_t> &tokens,
                                 Measurements &milliseconds) {
  int64_t length = session.length();
  double total = 0;
  for (int i = 0; i < kStepsOfWidth; ++i) {
    Stopwatch watch;
    QRT_RETURN_IF_ERROR(session.greedy(tokens).status());
    total += watch.milliseconds();
    QRT_RETURN_IF_ERROR(session.truncate(length));
  }
  milliseconds.add(total / kStepsOfWidth);
  return absl::OkStatus();
}

static absl::StatusOr<Results> measure(const Options &options, Session &session,
                                       const std::vector<int32_t> &widths) {
  Results results;
  for (int32_t width : widths)
    results.widths.emplace_back(width, Measurements());
  std::vector<int32_t> prompt =
      arbitraryTokens(static_cast<size_t>(options.promptTokens), session.vocabularySize());
  Progress progress("Measuring");
  // Once untimed: pages are touched and the processor wakes up.
  Results warmup;
  for (int64_t i = -1; i < options.repeat; ++i) {
    Results &into = i < 0 ? warmup : results;
    if (i < 0)
      warmup.widths = results.widths;
    if (options.promptTokens > 0)
      QRT_RETURN_IF_ERROR(measurePrompt(session, prompt, into.promptSpeed));
    if (options.generatedTokens > 0)
      QRT_RETURN_IF_ERROR(
          measureDecode(session, i < 0 ? 1 : options.generatedTokens, into.decodeSpeed));
    else
      QRT_RETURN_IF_ERROR(session.truncate(0));
    for (auto &[width, milliseconds] : into.widths)
      QRT_RETURN_IF_ERROR(measureWidth(
          session, arbitraryTokens(static_cast<size_t>(width), session.vocabularySize()),
          milliseconds));
    progress.update(static_cast<uint64_t>(i + 1), static_cast<uint64_t>(options.repeat));
  }
  return results;
}

static Json resultsAsJson(const Options &options, const LoadedModel &model,
                          const Results &results) {
  Json widths = Json::array();
  for (const auto &[width, milliseconds] : results.widths)
    widths.push_back({{"width", width},
                      {"milliseconds", milliseconds.median()},
                      {"deviation", milliseconds.deviation()}});
  return {{"prompt_tokens_per_second", results.promptSpeed.median()},
          {"prompt_deviation", results.promptSpeed.deviation()},
          {"decode_tokens_per_second", results.decodeSpeed.median()},
          {"decode_deviation", results.decodeSpeed.deviation()},
          {"widths", widths},
          {"prompt_tokens", options.promptTokens},
          {"gen_tokens", options.generatedTokens},
          {"repeat", options.repeat},
          {"threads", model.device->numThreads()},
          {"activations", model.executable->descriptor().activations},
          {"target", shortTarget(model.executable->descriptor().target)},
          {"cpu", cpuModelName()}};
}

static std::string resultsAsText(const Options &options, const LoadedModel &model,
                                 const Results &results) {
  std::vector<std::vector<std::string>> rows = {{"what", "median", "deviation", "unit"}};
  auto add = [&](std::string what, const Measurements &values, const char *unit) {
    rows.push_back({std::move(what), absl::StrFormat("%.2f", values.median()),
                    absl::StrFormat("%.2f", values.deviation()), unit});
  };
  if (options.promptTokens > 0)
    add(absl::StrCat("prompt of ", options.promptTokens), results.promptSpeed, "tokens/s");
  if (options.generatedTokens > 0)
    add(absl::StrCat("decoding ", options.generatedTokens), results.decodeSpeed, "tokens/s");
  for (const auto &[width, milliseconds] : results.widths)
    add(absl::StrCat("step of width ", width), milliseconds, "ms");
  const LibraryDescriptor &code = model.executable->descriptor();
  return absl::StrCat(formatTable(rows), cpuModelName(), "; ", model.device->name(), "; code for ",
                      shortTarget(code.target), ", activations ", code.activations, "; ",
                      options.repeat, " repetitions\n");
}

static absl::Status bench(const Options &options) {
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> widths, parseIds(options.widths, "--widths"));
  QRT_ASSIGN_OR_RETURN(int64_t context, contextOf(options.model.model));
  QRT_ASSIGN_OR_RETURN(LoadedModel model, loadModel(options.model));
  int64_t widest = 0;
  for (int32_t width : widths) {
    if (width < 1 || width > model.executable->descriptor().maxRows)
      return usageError(absl::StrCat("--widths: found ", width, ", expected 1 to ",
                                     model.executable->descriptor().maxRows));
    widest = std::max<int64_t>(widest, width);
  }
  int64_t positions = std::max(options.promptTokens, options.generatedTokens + widest);
  if (positions > context)
    return absl::InvalidArgumentError(
        absl::StrCat("the longer of prompt and generated tokens with the widest step needs ",
                     positions, " positions, but the model's context is ", context));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                       model.newSession(std::max<int64_t>(positions, 1), "--prompt-tokens"));
  QRT_ASSIGN_OR_RETURN(Results results, measure(options, *session, widths));
  if (options.json)
    printJson(resultsAsJson(options, model, results));
  else
    print(resultsAsText(options, model, results));
  return absl::OkStatus();
}

void cli::addBenchCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "bench", "Measures the speed of prompt, decoding and steps of several tokens.",
      "  quench-run bench model.gguf\n"
      "  quench-run bench package --prompt-tokens 128 --gen-tokens 64 --threads 1 --json",
      bench);
  addModelFlags(command, options.model);
  command.integer("--prompt-tokens", "N", options.promptTokens, 0, 1 << 24,
                  "Length of the prompt (default: 512)");
  command.integer("--gen-tokens", "N", options.generatedTokens, 0, 1 << 24,
                  "Tokens to decode (default: 128)");
  command.integer("--repeat", "N", options.repeat, 1, 1 << 24,
                  "Repetitions, of which the median counts (default: 5)");
  command.text("--widths", "LIST", options.widths,
               "Widths of the steps to time behind the decoded tokens (default: 1,2,4,8)");
  command.flag("--json", options.json,
               "Prints {prompt_tokens_per_second, decode_tokens_per_second, widths: [{width, "
               "milliseconds, deviation}], …}");
}
