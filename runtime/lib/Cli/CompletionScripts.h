//===- CompletionScripts.h - completion for three shells ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_COMPLETIONSCRIPTS_H
#define QUENCH_RT_LIB_CLI_COMPLETIONSCRIPTS_H

#include "CommandTable.h"

#include <string>

namespace qrt::cli {

/// Scripts that a shell reads once. Commands, options, the values of options that have a
/// few only, and files are completed.
std::string bashCompletion(const CommandTable &commands);
std::string zshCompletion(const CommandTable &commands);
std::string fishCompletion(const CommandTable &commands);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_COMPLETIONSCRIPTS_H
