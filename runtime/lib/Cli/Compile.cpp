//===- Compile.cpp - quench-run compile -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CodeFinder.h"
#include "Command.h"
#include "CompilerLibrary.h"
#include "Errors.h"
#include "ModelPath.h"
#include "Output.h"
#include "UserCache.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cstdio>
#include <sys/stat.h>

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  std::string input;
  std::string output;
  std::string from;
  std::string weights;
  TargetOptions target;
  std::string dumpStages;
  std::string crashReproducer;
  Option crashReproducerOption;
  std::string activations = "i8";
  Option activationsOption;
  int64_t context = 0;
  std::string layers;
  Option layersOption;
  bool timings = false;
  bool json = false;
};
} // namespace

static absl::Status checkParent(absl::string_view option, const std::string &path) {
  std::string parent = path.substr(0, path.find_last_not_of('/') + 1);
  size_t slash = parent.rfind('/');
  parent = slash == std::string::npos ? "." : parent.substr(0, slash + 1);
  struct stat info;
  if (::stat(parent.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return usageError(absl::StrCat(option, ": found ", path, ", but ", parent,
                                   " is no folder; expected a name in a folder that exists"));
  return absl::OkStatus();
}

/// A name that is free, in a folder that is there.
static absl::Status checkOutput(const std::string &path) {
  struct stat info;
  if (path.empty() || ::lstat(path.c_str(), &info) == 0)
    return usageError(absl::StrCat("-o: found ",
                                   path.empty() ? "nothing" : path + ", which exists already",
                                   ", expected the name of a new folder"));
  return checkParent("-o", path);
}

/// A name that a file has or may have. Nothing else is written to.
static absl::Status checkReproducer(const std::string &path) {
  struct stat info;
  if (path.empty() || (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)))
    return usageError(absl::StrCat("--crash-reproducer: found ",
                                   path.empty() ? "nothing" : path + ", which is no file",
                                   ", expected the name of a file"));
  return checkParent("--crash-reproducer", path);
}

/// The request for the compiler, once the options fit the kind of input.
static absl::StatusOr<nlohmann::json> makeRequest(const Options &options) {
  QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(options.input, /*programs=*/true));
  bool isGguf = kind == ModelKind::Gguf;
  if (isGguf && !(options.from.empty() && options.weights.empty()))
    return usageError("--from and --weights are for programs; a GGUF file has its own weights");
  if (!isGguf &&
      (options.activationsOption.given() || options.context > 0 || options.layersOption.given()))
    return usageError("--activations, --context and --layers are for GGUF files; a program says "
                      "itself which it has");
  if (options.layersOption.given() && options.layers.empty())
    return usageError("--layers: found nothing, expected a list such as 0-11,15-29");
  if (!options.from.empty()) {
    QRT_ASSIGN_OR_RETURN(ModelKind from, classifyModel(options.from));
    if (from != ModelKind::Package)
      return usageError(absl::StrCat("--from: ", options.from, " is no package"));
  }
  QRT_RETURN_IF_ERROR(checkOutput(options.output));
  if (options.crashReproducerOption.given())
    QRT_RETURN_IF_ERROR(checkReproducer(options.crashReproducer));
  bool isPackage = kind == ModelKind::Package;
  nlohmann::json request = {
      {"input", isPackage ? options.input + "/program.mlirbc" : options.input},
      {"from", options.from},
      {"weights", options.weights},
      {"package", options.output},
      {"activations", options.activations},
      {"context", options.context},
      {"layers", options.layers},
      {"dump_stages", options.dumpStages},
      {"crash_reproducer", options.crashReproducer},
      {"code_target", options.target.folderName()},
      {"compiler", compilerIdentity()}};
  if (isPackage && options.from.empty())
    request["from"] = options.input;
  options.target.addTo(request);
  return request;
}

static absl::Status compile(const Options &options) {
  QRT_ASSIGN_OR_RETURN(nlohmann::json request, makeRequest(options));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache, openUserCache());
  Stopwatch watch;
  absl::StatusOr<nlohmann::json> response;
  {
    Progress progress(absl::StrCat("Compiling ", options.input));
    response = callCompiler(request);
  }
  QRT_RETURN_IF_ERROR(response.status());
  Timings timings;
  timings.addCompilerResponse(*response);
  timings.stages.emplace_back("compile", watch.milliseconds());
  // Code of a package is native code from outside unless it is known to be one's own.
  QRT_RETURN_IF_ERROR(cache->recordOwnProduct(response->value("code", "")));

  if (options.json) {
    printJson({{"package", options.output},
               {"program", response->value("program", "")},
               {"code", response->value("code", "")},
               {"target", options.target.folderName()},
               {"timings", timingsAsJson(timings)}});
    return absl::OkStatus();
  }
  print(absl::StrFormat("%s: compiled in %.1f s, %d kernels\n", options.output,
                        watch.milliseconds() / 1000, timings.kernels.size()));
  if (options.timings)
    print(timingsAsText(timings));
  return absl::OkStatus();
}

void cli::addCompileCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "compile", "Makes a package: program, weights, tokenizer and code of a model.",
      "  quench-run compile model.gguf -o package\n"
      "  quench-run compile model.gguf -o package --activations f32 --timings\n"
      "  quench-run compile model.gguf -o draft --layers 0-11,15-29\n"
      "  quench-run compile edited.mlir --from package -o new\n"
      "  quench-run compile prog.mlir --weights w.safetensors -o package --dump-stages stages",
      compile);
  command.argument("input", "INPUT", options.input,
                   "GGUF file, MLIR text or bytecode, or a package");
  command
      .text("-o,--output", "PACKAGE", options.output, "The package's folder, which must not exist")
      .required();
  command.text("--from", "PACKAGE", options.from,
               "Takes weights, tokenizer and metadata of a program from this package");
  command.text("--weights", "FILE", options.weights,
               "A program's weights: a safetensors file with the formats in its metadata, or a "
               "GGUF file");
  options.activationsOption = command.choice(
      "--activations", "TYPE", options.activations, {"i8", "f32"},
      "Numbers that weights are multiplied with: i8 (8-bit integers in blocks of 32; the default) "
      "or f32");
  command.integer("--context", "N", options.context, 1, 1 << 30,
                  "The most tokens of prompt and result (default: the model's number)");
  options.layersOption = command.text(
      "--layers", "LIST", options.layers,
      "Keeps these layers of a GGUF file, counted from 0, such as 0-11,15-29 (default: all). What "
      "is left can draft for the whole model: generate --speculate draft=PACKAGE");
  options.target.addTo(command);
  command.choice("--sanitize", "KIND", options.target.sanitize, {"address", "thread"},
                 "Adds LLVM's checks to the code");
  command.text("--dump-stages", "DIR", options.dumpStages,
               "Writes the IR after each stage, LLVM IR and assembly into a folder");
  options.crashReproducerOption = command.text(
      "--crash-reproducer", "FILE", options.crashReproducer,
      "Should a pass fail or crash, writes the IR before it and its name into a file, for "
      "quench-opt FILE --run-reproducer");
  command.flag("--timings", options.timings, "Shows the time of each stage and kernel");
  command.flag("--json", options.json, "Prints {package, program, code, target, timings}");
}
