//===- quench-run.cpp - compile and run models ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Cli/Cli.h"

int main(int argc, char **argv) { return qrt::runCommandLine(argc, argv); }
