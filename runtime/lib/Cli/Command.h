//===- Command.h - how a subcommand is declared ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each subcommand is one file with one function `addXCommand`, listed below. It
// declares options that fill a structure, and names the function that does the work:
//
//   void qrt::cli::addCountCommand(Commands &commands) {
//     auto [app, options] = commands.add<Options>("count", "Counts.", "EXAMPLE", count);
//     app->add_option("model", options->model, "…")->required();
//   }
//
// Parsing ends before any work starts.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_COMMAND_H
#define QUENCH_RT_LIB_CLI_COMMAND_H

#include "absl/status/status.h"

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace qrt::cli {

class Commands {
public:
  explicit Commands(CLI::App &app) : app(app) {}

  /// Declares a subcommand. `examples` is shown at the end of its help, one command a
  /// line.
  template <typename Options>
  std::pair<CLI::App *, Options *> add(const char *name, const char *summary,
                                       const char *examples,
                                       absl::Status (*work)(const Options &)) {
    CLI::App *command = app.add_subcommand(name, summary);
    command->footer(std::string("examples:\n") + examples);
    auto options = std::make_shared<Options>();
    command->callback([this, options, work] { chosen = [=] { return work(*options); }; });
    return {command, options.get()};
  }

  /// What the parsed command line asks for; empty before parsing.
  std::function<absl::Status()> chosen;

private:
  CLI::App &app;
};

void addCompileCommand(Commands &commands);
void addGenerateCommand(Commands &commands);
void addTokenizeCommand(Commands &commands);
void addScoreCommand(Commands &commands);
void addEvalCommand(Commands &commands);
void addBenchCommand(Commands &commands);
void addInspectCommand(Commands &commands);
void addCallCommand(Commands &commands);
void addCacheCommand(Commands &commands);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_COMMAND_H
