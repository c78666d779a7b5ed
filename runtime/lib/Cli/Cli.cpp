//===- Cli.cpp - the command line of quench-run ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Cli/Cli.h"

#include "Command.h"
#include "Errors.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace qrt;

/// A result that was not written is a failure, whatever the command thought.
static absl::Status finishOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return environmentError(
        absl::StrCat("standard output: cannot be written: ", std::strerror(errno)));
  return absl::OkStatus();
}

int qrt::runCommandLine(int argc, const char *const *argv) {
  cli::Commands commands;
  cli::addCompileCommand(commands);
  cli::addGenerateCommand(commands);
  cli::addChatCommand(commands);
  cli::addTokenizeCommand(commands);
  cli::addScoreCommand(commands);
  cli::addEvalCommand(commands);
  cli::addBenchCommand(commands);
  cli::addInspectCommand(commands);
  cli::addCallCommand(commands);
  cli::addCacheCommand(commands);
  cli::addDebugCommand(commands);
  cli::addDoctorCommand(commands);
  cli::addCompletionCommand(commands);
  int exitStatus = 0;
  if (!commands.parse(argc, argv, exitStatus))
    return exitStatus;
  absl::Status status = commands.run();
  if (status.ok())
    status = finishOutput();
  if (!status.ok())
    cli::printError(std::string(status.message()));
  return static_cast<int>(exitStatusOf(status));
}
