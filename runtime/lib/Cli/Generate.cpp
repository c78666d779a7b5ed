//===- Generate.cpp - quench-run generate ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "Errors.h"
#include "GenerateReport.h"
#include "Input.h"
#include "ModelFlags.h"
#include "Output.h"
#include "SamplingFlags.h"
#include "SpeculationFlags.h"
#include "TimingsReport.h"

#include "quench-rt/Decode/Speculator.h"
#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Model/TextSession.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cstdio>
#include <memory>

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  ModelOptions model;
  TextSource prompt;
  int64_t maxTokens = 0;
  Option maxTokensOption;
  int64_t context = 0;
  SamplingFlags sampling;
  std::vector<std::string> stops;
  SpeculationFlags speculation;
  bool noBos = false;
  bool noSpecial = false;
  bool ignoreEnd = false;
  bool checkLossless = false;
  bool timings = false;
  bool json = false;
};
} // namespace

static absl::Status checkOptions(const Options &options) {
  for (const std::string &stop : options.stops)
    if (stop.empty())
      return usageError("--stop: found an empty string, which would stop at once");
  if (options.checkLossless && options.speculation.off())
    return usageError("--check-lossless compares drafts with plain decoding, so --speculate "
                      "must not be off");
  if (options.checkLossless && options.speculation.rejects())
    return usageError(
        "--check-lossless: found --acceptance rejection, whose texts are as likely as "
        "those of plain decoding but not the same; expected --acceptance match");
  return absl::OkStatus();
}

/// What can be known to fail without the model's code is said before that is made.
static absl::Status checkLength(const Options &options, size_t promptTokens) {
  if (promptTokens == 0)
    return absl::InvalidArgumentError(
        "the prompt has no tokens, expected at least one to continue from");
  QRT_ASSIGN_OR_RETURN(int64_t context, contextOf(options.model.model));
  const char *limit = "the model's context";
  if (options.context > 0 && options.context < context) {
    context = options.context;
    limit = "--context";
  }
  int64_t wanted = options.maxTokensOption.given() ? options.maxTokens : 1;
  int64_t prompt = static_cast<int64_t>(promptTokens);
  if (wanted > context - prompt)
    return absl::InvalidArgumentError(
        absl::StrCat("a prompt of ", prompt, " tokens and ", wanted, " to generate exceed ", limit,
                     " of ", context, " tokens; expected a shorter prompt or a smaller -n"));
  return absl::OkStatus();
}

static absl::Status run(const Options &options, const SamplingOptions &sampling, Session &session,
                        const Tokenizer &tokenizer, absl::Span<const int32_t> prompt,
                        Timings &timings) {
  TextOptions text;
  if (options.maxTokensOption.given())
    text.maxTokens = options.maxTokens;
  text.ignoreEnd = options.ignoreEnd;
  text.stops = options.stops;
  text.sampling = sampling;
  text.speculation = options.speculation.options(/*required=*/options.checkLossless);
  text.onText = [&](absl::string_view piece) {
    if (timings.firstToken == 0)
      timings.firstToken = millisecondsSinceStart();
    if (options.json)
      return;
    print(piece);
    std::fflush(stdout);
  };
  QRT_ASSIGN_OR_RETURN(TextPlan plan, planText(session, tokenizer, options.model.model, text));

  GenerateReport report;
  report.sampling = sampling;
  if (options.checkLossless) {
    QRT_ASSIGN_OR_RETURN(report.lossless, checkLossless(session, prompt, plan.options));
  } else {
    Speculator speculator(session);
    QRT_ASSIGN_OR_RETURN(report.plainOrDrafted, speculator.generate(prompt, plan.options));
  }
  const Generation &generation = report.generation();
  timings.stages.emplace_back("prompt", generation.prefillSeconds * 1000);
  timings.stages.emplace_back("decode", generation.decodeSeconds * 1000);
  if (options.json) {
    Json object = report.asJson();
    if (options.timings)
      object["timings"] = timingsAsJson(timings);
    printJson(object);
  } else {
    print("\n");
    std::fflush(stdout);
    std::fputs(report.summary().c_str(), stderr);
    if (options.timings)
      std::fputs(timingsAsText(timings).c_str(), stderr);
  }
  if (report.lossless && !report.lossless->lossless())
    return absl::InternalError(
        absl::StrCat("drafting changed the result: ", report.lossless->difference));
  return absl::OkStatus();
}

static absl::Status generate(const Options &options) {
  QRT_ASSIGN_OR_RETURN(SamplingOptions sampling, options.sampling.read(options.json));
  QRT_RETURN_IF_ERROR(checkOptions(options));
  ModelOptions modelOptions = options.model;
  QRT_RETURN_IF_ERROR(options.speculation.read(modelOptions, sampling));
  QRT_ASSIGN_OR_RETURN(std::string text, options.prompt.read());
  Stopwatch tokenizing;
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Tokenizer> tokenizer, loadTokenizer(options.model.model));
  QRT_RETURN_IF_ERROR(checkSampling(sampling, tokenizer->size()));
  EncodeOptions encoding = promptEncoding();
  encoding.addBos = !options.noBos;
  encoding.parseSpecial = !options.noSpecial;
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> prompt,
                       encodePrompt(*tokenizer, text, encoding, options.model.listener));
  double tokenizerTime = tokenizing.milliseconds();
  QRT_RETURN_IF_ERROR(checkLength(options, prompt.size()));
  QRT_ASSIGN_OR_RETURN(LoadedModel model, loadModel(modelOptions));
  model.timings.stages.insert(model.timings.stages.begin(), {"tokenizer", tokenizerTime});
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                       model.newSession(options.context, "--context"));
  return run(options, sampling, *session, *tokenizer, prompt, model.timings);
}

void cli::addGenerateCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "generate", "Continues a text.",
      "  quench-run generate model.gguf -p \"The capital of France is\" -n 20\n"
      "  quench-run generate package -f prompt.txt --stop \"THE END\" --json\n"
      "  quench-run generate package -p \"Once upon a time\" -n 50 --temp 0.8 --seed 1\n"
      "  quench-run generate model.gguf -f prompt.txt -n 200 --check-lossless",
      generate);
  addModelFlags(command, options.model);
  options.prompt.addTo(command);
  options.maxTokensOption =
      command.integer("-n,--tokens", "N", options.maxTokens, 1, 1 << 30,
                      "Tokens to generate; without it, until the text or the context ends");
  options.sampling.addTo(command);
  command.integer("--context", "N", options.context, 1, 1 << 30,
                  "The most tokens of prompt and result");
  command.list("--stop", "S", options.stops, "Ends the text before this string; may be repeated");
  options.speculation.addTo(command);
  command.flag("--no-bos", options.noBos,
               "Leaves out the beginning-of-text token that the model asks for");
  command.flag("--no-special", options.noSpecial,
               "Takes names of special tokens in the prompt as ordinary text");
  command.flag("--ignore-end", options.ignoreEnd, "Goes on where the model ends the text");
  command.flag("--check-lossless", options.checkLossless,
               "Generates without and with drafts, and proves that tokens, logits and cache are "
               "the same bits");
  command.flag("--timings", options.timings, "Shows where the time went");
  command.flag("--json", options.json,
               "Prints {text, token_ids, prompt_token_ids, tokens_per_second, drafted, accepted, "
               "rounds, stop_reason, seed, logprobs}");
}
