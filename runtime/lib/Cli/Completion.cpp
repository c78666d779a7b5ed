//===- Completion.cpp - quench-run completion -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "CompletionScripts.h"
#include "Output.h"

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  const Commands *commands = nullptr;
  std::string shell;
};
} // namespace

static absl::Status printScript(const Options &options) {
  const CommandTable table = options.commands->table();
  if (options.shell == "bash")
    print(bashCompletion(table));
  else if (options.shell == "zsh")
    print(zshCompletion(table));
  else
    print(fishCompletion(table));
  return absl::OkStatus();
}

void cli::addCompletionCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "completion", "Prints a script that lets a shell complete the words of quench-run.",
      "  quench-run completion bash > ~/.local/share/bash-completion/completions/quench-run\n"
      "  quench-run completion zsh > ~/.zsh/completions/_quench-run\n"
      "  quench-run completion fish > ~/.config/fish/completions/quench-run.fish\n"
      "  source <(quench-run completion bash)",
      printScript);
  options.commands = &commands;
  command.argument("shell", "SHELL", options.shell, "bash, zsh or fish", {"bash", "zsh", "fish"});
}
