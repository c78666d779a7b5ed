//===- Cli.h - the command line of quench-run -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The whole tool as one call, so that a program's `main` and tests share it. Results go
// to standard output, everything else (progress, notes, errors) to standard error.
// docs/CommandLine.md describes commands, JSON keys and messages.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_CLI_CLI_H
#define QUENCH_RT_CLI_CLI_H

namespace qrt {

/// Exit statuses of the tool.
enum class ExitStatus : int {
  Success = 0,
  Input = 1,       ///< something was wrong with a model, a file or a text
  Usage = 2,       ///< something was wrong with the command line
  Environment = 3, ///< memory, cache folder, missing compiler; or a mistake of ours
};

/// Parses and runs one command; returns an ExitStatus as a number.
int runCommandLine(int argc, const char *const *argv);

} // namespace qrt

#endif // QUENCH_RT_CLI_CLI_H
