//===- Command.h - how a subcommand is declared ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each subcommand is one file with one function `addXCommand`, listed below. It
// declares options that fill a structure, and names the function that does the work:
//
//   void qrt::cli::addCountCommand(Commands &commands) {
//     auto [command, options] = commands.add<Options>("count", "Counts.", "EXAMPLES", count);
//     command.argument("model", "MODEL", options.model, "Package or GGUF file");
//   }
//
// Parsing ends before any work starts. The parser is CLI11, which only Command.cpp sees:
// its headers take seconds to compile.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_COMMAND_H
#define QUENCH_RT_LIB_CLI_COMMAND_H

#include "CommandTable.h"

#include "absl/status/status.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace qrt::cli {

/// An option that was declared.
class Option {
public:
  Option() = default;
  explicit Option(CLI::Option *option) : option(option) {}

  /// Whether it is on the command line.
  bool given() const;
  Option &required();
  Option &excludes(Option other);

private:
  CLI::Option *option = nullptr;
};

/// Declares options. `names` are separated by commas ("-p,--prompt"), `value` stands for
/// the value in the help text, `to` receives it and holds the default.
class Command {
public:
  Command(CLI::App *app, CommandInfo *info) : app(app), info(info) {}

  Option flag(const char *names, bool &to, const char *help);
  Option text(const char *names, const char *value, std::string &to, const char *help);
  Option choice(const char *names, const char *value, std::string &to,
                const std::vector<std::string> &choices, const char *help);
  Option integer(const char *names, const char *value, int64_t &to, int64_t least, int64_t most,
                 const char *help);
  Option number(const char *names, const char *value, double &to, const char *help);
  /// May be given several times, each with one value.
  Option list(const char *names, const char *value, std::vector<std::string> &to, const char *help);

  /// A positional argument that has to be there.
  void argument(const char *name, const char *value, std::string &to, const char *help,
                const std::vector<std::string> &choices = {});
  /// One that may be left out.
  void optionalArgument(const char *name, const char *value, std::string &to,
                        const std::vector<std::string> &choices, const char *help);
  /// All that is left.
  void arguments(const char *name, const char *value, std::vector<std::string> &to,
                 const char *help);

private:
  /// Notes the option, and declares it to the parser.
  template <typename T>
  CLI::Option *option(const char *names, const char *value, T &to, const char *help,
                      const std::vector<std::string> &choices = {});
  /// The same for an argument.
  template <typename T>
  CLI::Option *positional(const char *name, const char *value, T &to, const char *help,
                          const std::vector<std::string> &choices = {});

  CLI::App *app;
  CommandInfo *info;
};

/// The subcommands of the tool.
class Commands {
public:
  Commands();
  ~Commands();
  Commands(const Commands &) = delete;
  Commands &operator=(const Commands &) = delete;

  /// Declares a subcommand. `examples` is shown at the end of its help, one command a
  /// line.
  template <typename Options>
  std::pair<Command, Options &> add(const char *name, const char *summary, const char *examples,
                                    absl::Status (*work)(const Options &)) {
    auto options = std::make_shared<Options>();
    Options &reference = *options;
    return {add(name, summary, examples,
                [options = std::move(options), work] { return work(*options); }),
            reference};
  }

  /// Parses a command line. Returns true if there is a command to run; otherwise
  /// `exitStatus` is what the program ends with, help or error having been printed.
  bool parse(int argc, const char *const *argv, int &exitStatus);

  /// All that has been declared.
  CommandTable table() const { return {infos.begin(), infos.end()}; }

  /// Runs the command that was parsed.
  absl::Status run() const { return chosen(); }

private:
  Command add(const char *name, const char *summary, const char *examples,
              std::function<absl::Status()> work);

  std::unique_ptr<CLI::App> app;
  std::deque<CommandInfo> infos; ///< their addresses stay
  std::function<absl::Status()> chosen;
};

void addCompileCommand(Commands &commands);
void addGenerateCommand(Commands &commands);
void addChatCommand(Commands &commands);
void addTokenizeCommand(Commands &commands);
void addScoreCommand(Commands &commands);
void addEvalCommand(Commands &commands);
void addBenchCommand(Commands &commands);
void addInspectCommand(Commands &commands);
void addCallCommand(Commands &commands);
void addCacheCommand(Commands &commands);
void addDebugCommand(Commands &commands);
void addDoctorCommand(Commands &commands);
void addCompletionCommand(Commands &commands);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_COMMAND_H
