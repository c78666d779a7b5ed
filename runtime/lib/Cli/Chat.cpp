//===- Chat.cpp - quench-run chat -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Lines are read as the terminal gives them, without a library for editing them: what a
// line may look like is then the same from a pipe, and no terminal mode is left behind when
// the program is ended at the prompt.
//
//===----------------------------------------------------------------------===//

#include "ChatTurns.h"

#include "Command.h"
#include "Errors.h"
#include "Interrupt.h"
#include "ModelFlags.h"
#include "Output.h"
#include "SamplingFlags.h"
#include "SpeculationFlags.h"

#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unistd.h>

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  ModelOptions model;
  std::string system;
  Option systemOption;
  std::string templateName;
  std::string prompt;
  Option promptOption;
  int64_t maxTokens = 0;
  int64_t context = 0;
  SamplingFlags sampling;
  SpeculationFlags speculation;
  bool json = false;
};
} // namespace

/// The next line of standard input without its end; none at the end of the input.
static absl::optional<std::string> readLine() {
  char *line = nullptr;
  size_t capacity = 0;
  const ssize_t length = ::getline(&line, &capacity, stdin);
  absl::optional<std::string> text;
  if (length >= 0)
    text.emplace(line, static_cast<size_t>(length));
  std::free(line);
  if (text && absl::EndsWith(*text, "\n"))
    text->pop_back();
  if (text && absl::EndsWith(*text, "\r"))
    text->pop_back();
  return text;
}

/// Reads turns from standard input until it ends.
static absl::Status converse(ChatTurns &chat, bool isInteractive, bool quiet) {
  const auto show = [&](absl::string_view text) {
    if (!quiet)
      print(text);
    std::fflush(stdout);
  };
  if (isInteractive)
    show("/clear starts a new conversation, /exit or Ctrl-D ends; Ctrl-C stops an answer.\n");
  while (true) {
    if (isInteractive)
      show("> ");
    const absl::optional<std::string> line = readLine();
    if (!line || *line == "/exit") {
      if (isInteractive && !line)
        show("\n");
      return absl::OkStatus();
    }
    if (line->empty())
      continue;
    if (*line == "/clear") {
      chat.clear();
      continue;
    }
    if (line->front() == '/') {
      printNote(absl::StrCat(*line, " is no command, expected /clear or /exit"));
      continue;
    }
    absl::Status status;
    if (isInteractive) {
      // Only here: a pipe's answers end with the program.
      CatchInterrupt interrupt;
      status = chat.turn(*line, [&] { return interrupt.happened(); });
    } else {
      status = chat.turn(*line, nullptr);
    }
    if (status.ok())
      continue;
    if (!isInteractive)
      return status;
    printError(std::string(status.message()));
  }
}

static absl::Status chat(const Options &options) {
  QRT_ASSIGN_OR_RETURN(SamplingOptions sampling, options.sampling.read(options.json));
  ModelOptions modelOptions = options.model;
  QRT_RETURN_IF_ERROR(options.speculation.read(modelOptions, sampling));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Tokenizer> tokenizer, loadTokenizer(options.model.model));
  QRT_RETURN_IF_ERROR(checkSampling(sampling, tokenizer->size()));
  QRT_ASSIGN_OR_RETURN(ChatTemplate chatTemplate,
                       chooseChatTemplate(*tokenizer, options.templateName, options.model.model));
  const std::string system =
      options.systemOption.given() ? options.system : chatTemplate.defaultSystem();
  QRT_ASSIGN_OR_RETURN(LoadedModel model, loadModel(modelOptions));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                       model.newSession(options.context, "--context"));
  TextOptions answers;
  if (options.maxTokens > 0)
    answers.maxTokens = options.maxTokens;
  answers.sampling = sampling;
  answers.speculation = options.speculation.options(/*required=*/false);
  if (!options.json)
    answers.onText = [](absl::string_view piece) {
      print(piece);
      std::fflush(stdout);
    };
  TextSession text(std::move(session), *tokenizer, options.model.model);
  ChatSession conversation(text, chatTemplate, system);
  ChatTurns chat(conversation, text, std::move(answers));
  if (options.promptOption.given())
    QRT_RETURN_IF_ERROR(chat.turn(options.prompt, nullptr));
  else
    QRT_RETURN_IF_ERROR(converse(chat, ::isatty(STDIN_FILENO) != 0, options.json));
  if (options.json)
    printJson(chat.asJson());
  return absl::OkStatus();
}

void cli::addChatCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "chat", "Talks with a model that was trained for it.",
      "  quench-run chat model.gguf\n"
      "  quench-run chat package --system \"Answer in one sentence.\"\n"
      "  quench-run chat package --temp 0.7 --top-p 0.9\n"
      "  quench-run chat package -p \"What is a prime number?\"\n"
      "  printf 'My name is Ada.\\nWhat is my name?\\n' | quench-run chat package --json",
      chat);
  addModelFlags(command, options.model);
  options.promptOption =
      command.text("-p,--prompt", "TEXT", options.prompt,
                   "One question, and the end after its answer; without it, each "
                   "line of standard input is one");
  options.systemOption =
      command.text("--system", "TEXT", options.system,
                   "What the model is to be (default: what its template says; \"\" for nothing)");
  command.choice("--template", "FORMAT", options.templateName, ChatTemplate::names(),
                 "How conversations are written (default: recognised from the model's template)");
  command.integer("-n,--tokens", "N", options.maxTokens, 1, 1 << 30,
                  "The most tokens of an answer; without it, until the model ends it");
  command.integer("--context", "N", options.context, 1, 1 << 30,
                  "The most tokens of a conversation");
  options.sampling.addTo(command);
  options.speculation.addTo(command);
  command.flag("--json", options.json,
               "Prints {turns: [{user, text, token_ids, prompt_tokens, cached_tokens, drafted, "
               "accepted, stop_reason, logprobs}], seed} at the end");
}
