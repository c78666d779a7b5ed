//===- ModelFlags.h - options of all commands that run a model ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_MODELFLAGS_H
#define QUENCH_RT_LIB_CLI_MODELFLAGS_H

#include "Command.h"

#include "quench-rt/Model/Listener.h"
#include "quench-rt/Model/LoadedModel.h"
#include "quench-rt/Model/TargetOptions.h"

#include <string>

namespace qrt::cli {

/// Notes on standard error, and there what takes long if it is a terminal.
Listener commandLineListener();

/// --target and --portable.
void addTargetFlags(Command &command, TargetOptions &target);

/// --keep-code
void addKeepCodeFlag(Command &command, std::string &folder);

/// MODEL and how it is run. Sets the listener.
void addModelFlags(Command &command, ModelOptions &options);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_MODELFLAGS_H
