//===- Cli.cpp - the command line of quench-run ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Cli/Cli.h"

#include "Command.h"
#include "Errors.h"

#include "absl/strings/str_cat.h"

#include <cstdio>
#include <cstring>

using namespace qrt;

static constexpr char kFooter[] =
    "MODEL is a package made by `quench-run compile`, or a GGUF file, which is compiled into\n"
    "the cache on first use. `quench-run COMMAND --help` shows options and examples.\n"
    "Exit status: 0 success, 1 bad input, 2 bad command line, 3 environment or internal.";

/// What the parser has to say about a command line, fit for one line.
static int reportParseError(const CLI::App &app, const CLI::ParseError &error) {
  const CLI::App *command = &app;
  while (!command->get_subcommands().empty())
    command = command->get_subcommands().front();
  std::string name = command == &app ? "quench-run" : "quench-run " + command->get_name();
  cli::printError(absl::StrCat(error.what(), "; see `", name, " --help`"));
  return static_cast<int>(ExitStatus::Usage);
}

/// A result that was not written is a failure, whatever the command thought.
static absl::Status finishOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return cli::environmentError(
        absl::StrCat("standard output: cannot be written: ", std::strerror(errno)));
  return absl::OkStatus();
}

int qrt::runCommandLine(int argc, const char *const *argv) {
  CLI::App app("Compiles language models and runs them.", "quench-run");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.set_version_flag("--version", std::string("quench-run ") + QUENCH_VERSION);
  cli::Commands commands(app);
  cli::addCompileCommand(commands);
  cli::addGenerateCommand(commands);
  cli::addTokenizeCommand(commands);
  cli::addScoreCommand(commands);
  cli::addEvalCommand(commands);
  cli::addBenchCommand(commands);
  cli::addInspectCommand(commands);
  cli::addCallCommand(commands);
  cli::addCacheCommand(commands);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) { // --help and --version
    return app.exit(request);
  } catch (const CLI::ParseError &error) {
    return reportParseError(app, error);
  }

  absl::Status status = commands.chosen();
  if (status.ok())
    status = finishOutput();
  if (!status.ok())
    cli::printError(std::string(status.message()));
  return static_cast<int>(cli::exitStatusOf(status));
}
