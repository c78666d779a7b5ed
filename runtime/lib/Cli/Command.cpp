//===- Command.cpp - how a subcommand is declared -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "Errors.h"

#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"

#include <algorithm>
#include <array>

using namespace qrt;
using namespace qrt::cli;

static constexpr char kFooter[] =
    "MODEL is a package made by `quench-run compile`, or a GGUF file, which is compiled into\n"
    "the cache on first use. `quench-run COMMAND --help` shows options and examples.\n"
    "Exit status: 0 success, 1 bad input, 2 bad command line, 3 environment or internal.";

bool Option::given() const { return option->count() > 0; }

Option &Option::required() {
  option->required();
  return *this;
}

Option &Option::excludes(Option other) {
  option->excludes(other.option);
  return *this;
}

bool OptionInfo::takesFile() const {
  static const std::array<absl::string_view, 8> kFiles = {
      "FILE", "DIR", "MODEL", "PACKAGE", "INPUT", "PROGRAM", "OUT.npy", "IN.npy …"};
  return std::find(kFiles.begin(), kFiles.end(), value) != kFiles.end();
}

template <typename T>
CLI::Option *Command::option(const char *names, const char *value, T &to, const char *help,
                             const std::vector<std::string> &choices) {
  info->options.push_back({absl::StrSplit(names, ','), value, help, choices});
  CLI::Option *option = app->add_option(names, to, help)->option_text(value);
  return choices.empty() ? option : option->check(CLI::IsMember(choices));
}

template <typename T>
CLI::Option *Command::positional(const char *name, const char *value, T &to, const char *help,
                                 const std::vector<std::string> &choices) {
  info->arguments.push_back({{name}, value, help, choices});
  CLI::Option *option = app->add_option(name, to, help)->option_text(value);
  return choices.empty() ? option : option->check(CLI::IsMember(choices));
}

Option Command::flag(const char *names, bool &to, const char *help) {
  info->options.push_back({absl::StrSplit(names, ','), "", help, {}});
  return Option(app->add_flag(names, to, help));
}

Option Command::text(const char *names, const char *value, std::string &to, const char *help) {
  return Option(option(names, value, to, help));
}

Option Command::choice(const char *names, const char *value, std::string &to,
                       const std::vector<std::string> &choices, const char *help) {
  return Option(option(names, value, to, help, choices));
}

Option Command::integer(const char *names, const char *value, int64_t &to, int64_t least,
                        int64_t most, const char *help) {
  return Option(option(names, value, to, help)->check(CLI::Range(least, most)));
}

Option Command::number(const char *names, const char *value, double &to, const char *help) {
  return Option(option(names, value, to, help));
}

Option Command::list(const char *names, const char *value, std::vector<std::string> &to,
                     const char *help) {
  CLI::Option *declared = option(names, value, to, help);
  info->options.back().repeats = true;
  return Option(declared->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}

void Command::argument(const char *name, const char *value, std::string &to, const char *help,
                       const std::vector<std::string> &choices) {
  positional(name, value, to, help, choices)->required();
}

void Command::optionalArgument(const char *name, const char *value, std::string &to,
                               const std::vector<std::string> &choices, const char *help) {
  positional(name, value, to, help, choices);
}

void Command::arguments(const char *name, const char *value, std::vector<std::string> &to,
                        const char *help) {
  positional(name, value, to, help);
  info->arguments.back().repeats = true;
}

Commands::Commands()
    : app(std::make_unique<CLI::App>("Compiles language models and runs them.", "quench-run")) {
  app->footer(kFooter);
  app->require_subcommand(1);
  app->get_formatter()->column_width(34);
  app->set_version_flag("--version", std::string("quench-run ") + QUENCH_VERSION);
}

Commands::~Commands() = default;

Command Commands::add(const char *name, const char *summary, const char *examples,
                      std::function<absl::Status()> work) {
  CLI::App *command = app->add_subcommand(name, summary);
  command->footer(std::string("examples:\n") + examples);
  command->callback([this, work = std::move(work)] { chosen = work; });
  infos.push_back({name, summary, {}, {}});
  return Command(command, &infos.back());
}

/// The names of all commands.
static std::string commandNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands(/*filter=*/nullptr))
    names.push_back(command->get_name());
  return absl::StrJoin(names, ", ");
}

/// What the parser has to say about a command line, fit for one line.
static int reportParseError(const CLI::App &app, const CLI::ParseError &error, int argc,
                            const char *const *argv) {
  std::vector<CLI::App *> given = app.get_subcommands();
  if (given.empty() && (argc < 2 || argv[1][0] != '-')) {
    printError(absl::StrCat(argc < 2 ? "no command" : "found " + qrt::quoted(argv[1]),
                            ", expected one of ", commandNames(app), "; see `quench-run --help`"));
    return static_cast<int>(ExitStatus::Usage);
  }
  std::string name = given.empty() ? "quench-run" : "quench-run " + given[0]->get_name();
  printError(absl::StrCat(error.what(), "; see `", name, " --help`"));
  return static_cast<int>(ExitStatus::Usage);
}

bool Commands::parse(int argc, const char *const *argv, int &exitStatus) {
  try {
    app->parse(argc, argv);
  } catch (const CLI::Success &request) { // --help and --version
    exitStatus = app->exit(request);
    return false;
  } catch (const CLI::ParseError &error) {
    exitStatus = reportParseError(*app, error, argc, argv);
    return false;
  }
  return true;
}
