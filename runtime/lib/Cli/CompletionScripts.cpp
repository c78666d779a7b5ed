//===- CompletionScripts.cpp - completion for three shells ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CompletionScripts.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

using namespace qrt;
using namespace qrt::cli;

static constexpr char kHelpText[] = "Prints what the command does and its options";

/// In single quotes, as bash and zsh take any text; fish has one more escape.
static std::string quote(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

static std::string fishQuote(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

/// What fits beside a word: the help up to its first stop.
static std::string brief(absl::string_view help) {
  return std::string(help.substr(0, std::min({help.find("; "), help.find(". "), help.find(" (")})));
}

static std::vector<std::string> allNames(const CommandInfo &command) {
  std::vector<std::string> names;
  for (const OptionInfo &option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  names.push_back("--help");
  return names;
}

/// `names) words='…' files=… ;;` for options with values, by what their values are.
static std::string bashValueCases(const CommandInfo &command) {
  std::string cases;
  std::vector<std::string> free;
  for (const OptionInfo &option : command.options) {
    const std::string pattern = absl::StrJoin(option.names, "|");
    if (!option.choices.empty())
      absl::StrAppend(&cases, "        ", pattern,
                      ") words=", quote(absl::StrJoin(option.choices, " ")), " ;;\n");
    else if (option.takesFile())
      absl::StrAppend(&cases, "        ", pattern, ") files=1 ;;\n");
    else if (!option.value.empty())
      free.push_back(pattern);
  }
  if (!free.empty())
    absl::StrAppend(&cases, "        ", absl::StrJoin(free, "|"), ") ;;\n");
  return cases;
}

std::string cli::bashCompletion(const CommandTable &commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const CommandInfo &command : commands) {
    names.push_back(command.name);
    std::vector<std::string> words = allNames(command);
    bool files = false;
    for (const OptionInfo &argument : command.arguments) {
      words.insert(words.end(), argument.choices.begin(), argument.choices.end());
      files |= argument.takesFile();
    }
    absl::StrAppend(&cases, "    ", command.name, ")\n      case $previous in\n",
                    bashValueCases(command), "        *) words=", quote(absl::StrJoin(words, " ")),
                    files ? "; files=1" : "", " ;;\n      esac ;;\n");
  }
  return absl::StrCat(
      "# Completion of quench-run for bash.\n"
      "_quench_run() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  local words='' files=''\n"
      "  case ${COMP_CWORD}:${COMP_WORDS[1]} in\n"
      "    1:*) words=",
      quote(absl::StrCat(absl::StrJoin(names, " "), " --help --version")),
      " ;;\n    *)\n    case ${COMP_WORDS[1]} in\n", cases,
      "    esac ;;\n"
      "  esac\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "  if [[ -n $files && $current != -* ]]; then\n"
      "    local file\n"
      "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -f -- "
      "\"$current\")\n"
      "    compopt -o filenames 2>/dev/null\n"
      "  fi\n"
      "}\n"
      "complete -F _quench_run quench-run\n");
}

/// One specification of _arguments.
static std::string zshSpec(const OptionInfo &option, absl::string_view name) {
  const std::string help = absl::StrReplaceAll(
      brief(option.help), {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
  std::string action;
  if (!option.choices.empty())
    action = absl::StrCat("(", absl::StrJoin(option.choices, " "), ")");
  else if (option.takesFile())
    action = "_files";
  const std::string value = absl::StrReplaceAll(option.value, {{":", "\\:"}});
  if (!absl::StartsWith(name, "-"))
    return quote(absl::StrCat(option.repeats ? "*" : "", ":", value, ":", action));
  std::string others;
  if (!option.repeats)
    others = absl::StrCat("(", absl::StrJoin(option.names, " "), ")");
  std::string spec = absl::StrCat(option.repeats ? "*" : others, name, "[", help, "]");
  if (!option.value.empty())
    absl::StrAppend(&spec, ":", value, ":", action);
  return quote(spec);
}

std::string cli::zshCompletion(const CommandTable &commands) {
  std::string names, cases;
  for (const CommandInfo &command : commands) {
    absl::StrAppend(&names, "      ",
                    quote(absl::StrCat(command.name, ":",
                                       absl::StrReplaceAll(command.summary, {{":", "\\:"}}))),
                    "\n");
    absl::StrAppend(&cases, "    ", command.name, ") _arguments \\\n");
    for (const OptionInfo &argument : command.arguments)
      absl::StrAppend(&cases, "      ", zshSpec(argument, argument.names[0]), " \\\n");
    for (const OptionInfo &option : command.options)
      for (const std::string &name : option.names)
        absl::StrAppend(&cases, "      ", zshSpec(option, name), " \\\n");
    absl::StrAppend(&cases, "      '(--help)--help[", kHelpText, "]' ;;\n");
  }
  return absl::StrCat("#compdef quench-run\n"
                      "# Completion of quench-run for zsh.\n"
                      "_quench_run() {\n"
                      "  if (( CURRENT == 2 )); then\n"
                      "    local -a commands=(\n",
                      names,
                      "    )\n"
                      "    _describe command commands\n"
                      "    return\n"
                      "  fi\n"
                      "  local command=$words[2]\n"
                      "  shift words\n"
                      "  (( CURRENT-- ))\n"
                      "  case $command in\n",
                      cases,
                      "  esac\n"
                      "}\n"
                      "compdef _quench_run quench-run\n");
}

std::string cli::fishCompletion(const CommandTable &commands) {
  std::string script = "# Completion of quench-run for fish.\ncomplete -c quench-run -f\n";
  for (const CommandInfo &command : commands)
    absl::StrAppend(&script, "complete -c quench-run -n __fish_use_subcommand -a ", command.name,
                    " -d ", fishQuote(command.summary), "\n");
  for (const CommandInfo &command : commands) {
    const std::string start =
        absl::StrCat("complete -c quench-run -n '__fish_seen_subcommand_from ", command.name, "'");
    for (const OptionInfo &argument : command.arguments) {
      if (!argument.choices.empty())
        absl::StrAppend(&script, start, " -a ", fishQuote(absl::StrJoin(argument.choices, " ")),
                        "\n");
      if (argument.takesFile())
        absl::StrAppend(&script, start, " -F\n");
    }
    for (const OptionInfo &option : command.options) {
      absl::StrAppend(&script, start);
      for (absl::string_view name : option.names)
        absl::StrAppend(&script, absl::StartsWith(name, "--") ? " -l " : " -s ",
                        name.substr(name.find_first_not_of('-')));
      if (!option.choices.empty())
        absl::StrAppend(&script, " -x -a ", fishQuote(absl::StrJoin(option.choices, " ")));
      else if (!option.value.empty())
        absl::StrAppend(&script, option.takesFile() ? " -r -F" : " -x");
      absl::StrAppend(&script, " -d ", fishQuote(brief(option.help)), "\n");
    }
    absl::StrAppend(&script, start, " -l help -d ", fishQuote(kHelpText), "\n");
  }
  return script;
}
