//===- Doctor.cpp - quench-run doctor -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Errors.h"
#include "HostReport.h"
#include "Output.h"
#include "SelfTest.h"

#include "quench-rt/Support/Size.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  bool json = false;
};

/// "label      text".
void line(absl::string_view label, absl::string_view text) {
  print(absl::StrFormat("%-14s %s\n", label, text));
}
} // namespace

static void printHost(const Json &host) {
  const Json &processor = host["processor"], &memory = host["memory"], &system = host["system"];
  std::string name = processor["name"];
  line("processor",
       absl::StrCat(name.empty() ? "of unknown name" : name, ", ",
                    std::string(processor["architecture"]), ", ", processor["cores"].get<int>(),
                    " cores to use", absl::StrFormat(", load %.1f", processor.value("load", 0.0))));
  line("extensions", absl::StrJoin(processor["extensions"].get<std::vector<std::string>>(), " "));
  line("memory", absl::StrCat(formatBytes(memory.value("available", uint64_t(0))), " of ",
                              formatBytes(memory.value("total", uint64_t(0))),
                              " available; huge pages: ", std::string(memory["huge_pages"])));
  std::vector<std::string> parts;
  for (const auto &[key, value] : system.items())
    parts.push_back(value);
  line("system", absl::StrJoin(parts, ", "));
}

static void printInstallation(const Json &report, const std::string &llvm) {
  line("program", std::string(report["program"]));
  const Json &compiler = report["compiler"];
  std::string text = compiler.value("path", "");
  if (compiler.contains("error"))
    absl::StrAppend(&text, text.empty() ? "" : ": ", std::string(compiler["error"]));
  else
    absl::StrAppend(&text, ", build ", std::string(compiler["build_id"]));
  if (!llvm.empty())
    absl::StrAppend(&text, ", LLVM ", llvm);
  line("compiler", text);
}

static void printCache(const Json &cache) {
  if (cache.contains("error"))
    return line("cache", std::string(cache["error"]));
  line("cache", absl::StrFormat("%s: %d entries, %s of at most %s, %s free on the disk",
                                std::string(cache["folder"]), cache["entries"].get<uint64_t>(),
                                formatBytes(cache["bytes"]), formatBytes(cache["limit"]),
                                formatBytes(cache.value("free", uint64_t(0)))));
}

static absl::Status examine(const Options &options) {
  const Json installation = installationReport(), cache = cacheReport(), host = hostReport();
  const SelfTest test = runSelfTest();
  const absl::Status &result = test.steps.back().status;
  if (options.json) {
    Json report = installation;
    if (!test.llvm.empty())
      report["compiler"]["llvm"] = test.llvm;
    report.update(host);
    report["cache"] = cache;
    report["self_test"] = Json::array();
    for (const SelfTest::Step &step : test.steps) {
      Json entry = {
          {"name", step.name}, {"ok", step.status.ok()}, {"milliseconds", step.milliseconds}};
      if (!step.status.ok())
        entry["error"] = std::string(step.status.message());
      report["self_test"].push_back(std::move(entry));
    }
    report["ok"] = test.passed() && !cache.contains("error");
    printJson(report);
  } else {
    line("quench-run", std::string(installation["version"]));
    printInstallation(installation, test.llvm);
    printHost(host);
    printCache(cache);
    for (const SelfTest::Step &step : test.steps)
      line(absl::StrCat("test: ", step.name),
           step.status.ok() ? absl::StrFormat("ok, %.0f ms", step.milliseconds)
                            : absl::StrCat("FAILED: ", step.status.message()));
  }
  if (!test.passed())
    return environmentError(
        absl::StrCat("self-test, ", test.steps.back().name, ": ", result.message()));
  if (cache.contains("error"))
    return environmentError(std::string(cache["error"]));
  return absl::OkStatus();
}

void cli::addDoctorCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "doctor", "Examines the machine and the installation, and compiles and runs a test.",
      "  quench-run doctor\n"
      "  quench-run doctor --json > report.json",
      examine);
  command.flag("--json", options.json,
               "Prints {version, program, compiler, processor, memory, system, cache, self_test: "
               "[{name, ok, milliseconds, error}], ok}");
}
