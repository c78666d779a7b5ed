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

/// Parses and runs one command; returns an ExitStatus (see Support/ExitStatus.h) as a
/// number.
int runCommandLine(int argc, const char *const *argv);

} // namespace qrt

#endif // QUENCH_RT_CLI_CLI_H
