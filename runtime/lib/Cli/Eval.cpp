//===- Eval.cpp - quench-run eval -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "Errors.h"
#include "Input.h"
#include "ModelFlags.h"
#include "Output.h"

#include "quench-rt/Decode/Scoring.h"
#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  ModelOptions model;
  std::string text;
  int64_t window = 512;
  bool json = false;
};
} // namespace

static absl::Status runEval(const Options &options) {
  QRT_ASSIGN_OR_RETURN(std::string text, readTextFile(options.text));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Tokenizer> tokenizer, loadTokenizer(options.model.model));
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> tokens,
                       encodePrompt(*tokenizer, text, promptEncoding(), options.model.listener));
  QRT_ASSIGN_OR_RETURN(int64_t context, contextOf(options.model.model));
  if (options.window > context)
    return absl::InvalidArgumentError(absl::StrCat("--context: found ", options.window,
                                                   ", but the model's context is ", context));
  if (static_cast<int64_t>(tokens.size()) < options.window)
    return absl::InvalidArgumentError(absl::StrCat(options.text, ": ", tokens.size(),
                                                   " tokens, expected at least one window of ",
                                                   options.window, " (--context)"));
  QRT_ASSIGN_OR_RETURN(LoadedModel model, loadModel(options.model));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                       model.newSession(options.window, "--context"));

  PerplexityOptions perplexityOptions = perplexityOptionsFor(*tokenizer);
  perplexityOptions.window = options.window;
  Perplexity result;
  {
    Progress progress("Evaluating");
    perplexityOptions.progress = [&](int64_t done, int64_t windows, double) {
      progress.update(static_cast<uint64_t>(done), static_cast<uint64_t>(windows));
    };
    QRT_ASSIGN_OR_RETURN(result, perplexity(*session, tokens, perplexityOptions));
  }
  if (options.json)
    printJson({{"perplexity", result.perplexity},
               {"stderr", result.standardError},
               {"tokens", result.tokens}});
  else
    print(absl::StrFormat("perplexity %.4f ± %.4f over %d tokens, windows of %d\n",
                          result.perplexity, result.standardError, result.tokens, options.window));
  return absl::OkStatus();
}

void cli::addEvalCommand(Commands &commands) {
  auto [command, options] =
      commands.add<Options>("eval", "Measures the perplexity of a text.",
                            "  quench-run eval model.gguf --text book.txt\n"
                            "  quench-run eval package --text book.txt --context 1024 --json",
                            runEval);
  addModelFlags(command, options.model);
  command.text("--text", "FILE", options.text, "The text; - is standard input").required();
  command.integer("--context", "N", options.window, 3, 1 << 30,
                  "Tokens of a window, of which the second half is scored (default: 512)");
  command.flag("--json", options.json, "Prints {perplexity, stderr, tokens}");
}
