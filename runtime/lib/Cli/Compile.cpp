//===- Compile.cpp - quench-run compile -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "ModelFlags.h"
#include "Output.h"
#include "TimingsReport.h"

#include "quench-rt/Model/PackageCompiler.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_format.h"

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  PackageOptions package;
  std::string activations;
  Option activationsOption;
  std::string layers;
  Option layersOption;
  std::string crashReproducer;
  Option crashReproducerOption;
  bool timings = false;
  bool json = false;
};
} // namespace

static absl::Status compile(const Options &options) {
  PackageOptions package = options.package;
  package.listener = commandLineListener();
  if (options.activationsOption.given())
    package.activations = options.activations;
  if (options.layersOption.given())
    package.layers = options.layers;
  if (options.crashReproducerOption.given())
    package.crashReproducer = options.crashReproducer;
  QRT_ASSIGN_OR_RETURN(CompiledPackage made, compilePackage(package));
  if (options.json) {
    printJson({{"package", package.package},
               {"program", made.program},
               {"code", made.code},
               {"target", package.target.folderName()},
               {"timings", timingsAsJson(made.timings)}});
    return absl::OkStatus();
  }
  print(absl::StrFormat("%s: compiled in %.1f s, %d kernels\n", package.package,
                        made.timings.stages.back().second / 1000, made.timings.kernels.size()));
  if (options.timings)
    print(timingsAsText(made.timings));
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
  command.argument("input", "INPUT", options.package.input,
                   "GGUF file, MLIR text or bytecode, or a package");
  command
      .text("-o,--output", "PACKAGE", options.package.package,
            "The package's folder, which must not exist")
      .required();
  command.text("--from", "PACKAGE", options.package.from,
               "Takes weights, tokenizer and metadata of a program from this package");
  command.text("--weights", "FILE", options.package.weights,
               "A program's weights: a safetensors file with the formats in its metadata, or a "
               "GGUF file");
  options.activationsOption = command.choice(
      "--activations", "TYPE", options.activations, {"i8", "f32"},
      "Numbers that weights are multiplied with: i8 (8-bit integers in blocks of 32; the default) "
      "or f32");
  command.integer("--context", "N", options.package.context, 1, 1 << 30,
                  "The most tokens of prompt and result (default: the model's number)");
  options.layersOption = command.text(
      "--layers", "LIST", options.layers,
      "Keeps these layers of a GGUF file, counted from 0, such as 0-11,15-29 (default: all). What "
      "is left can draft for the whole model: generate --speculate draft=PACKAGE");
  addTargetFlags(command, options.package.target);
  command.choice("--sanitize", "KIND", options.package.target.sanitize, {"address", "thread"},
                 "Adds LLVM's checks to the code");
  command.text("--dump-stages", "DIR", options.package.dumpStages,
               "Writes the IR after each stage, LLVM IR and assembly into a folder");
  options.crashReproducerOption = command.text(
      "--crash-reproducer", "FILE", options.crashReproducer,
      "Should a pass fail or crash, writes the IR before it and its name into a file, for "
      "quench-opt FILE --run-reproducer");
  command.flag("--timings", options.timings, "Shows the time of each stage and kernel");
  command.flag("--json", options.json, "Prints {package, program, code, target, timings}");
}
