//===- CommandTable.h - all commands and options as data ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What was declared through Command.h. The parser has the same, but does not give
// everything away.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_COMMANDTABLE_H
#define QUENCH_RT_LIB_CLI_COMMANDTABLE_H

#include <string>
#include <vector>

namespace qrt::cli {

struct OptionInfo {
  std::vector<std::string> names; ///< "-p", "--prompt"; of an argument the bare name
  std::string value;              ///< what stands for it in the help text; empty: a flag
  std::string help;
  std::vector<std::string> choices; ///< the only values; empty: others
  bool repeats = false;

  bool takesFile() const;
};

struct CommandInfo {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
  std::vector<OptionInfo> arguments; ///< in their order
};

using CommandTable = std::vector<CommandInfo>;

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_COMMANDTABLE_H
