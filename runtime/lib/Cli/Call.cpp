//===- Call.cpp - quench-run call -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "Errors.h"
#include "ModelFlags.h"
#include "TimingsReport.h"

#include "quench-rt/Model/LoadedProgram.h"
#include "quench-rt/ModelFile/Npy.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <cstdio>

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  ProgramOptions program;
  std::string function;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  bool timings = false;
};

constexpr struct {
  NpyType file;
  ElementType element;
} kTypes[] = {{NpyType::F32, ElementType::F32}, {NpyType::F16, ElementType::F16},
              {NpyType::I32, ElementType::I32}, {NpyType::I64, ElementType::I64},
              {NpyType::I8, ElementType::I8},   {NpyType::U8, ElementType::U8}};
} // namespace

static absl::StatusOr<HostTensor> readTensor(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(NpyArray array, readNpy(path));
  HostTensor tensor;
  for (const auto &type : kTypes)
    if (type.file == array.type)
      tensor.element = type.element;
  tensor.dims = array.shape;
  tensor.bytes.assign(array.data, array.data + array.bytes);
  return tensor;
}

static absl::Status writeTensor(const std::string &path, const HostTensor &tensor) {
  NpyType type = NpyType::F32;
  for (const auto &entry : kTypes)
    if (entry.element == tensor.element)
      type = entry.file;
  return writeNpy(path, type, tensor.dims, tensor.bytes.data());
}

/// As many files as the function has results.
static absl::Status checkOutputs(const Options &options, const Executable &executable) {
  QRT_ASSIGN_OR_RETURN(const EntrySpec *entry, findFunction(executable, options.program.program,
                                                            options.function.substr(1)));
  if (entry->results.size() == options.outputs.size())
    return absl::OkStatus();
  return usageError(absl::StrCat(options.function, " has ", entry->results.size(),
                                 entry->results.size() == 1 ? " result" : " results",
                                 ", but -o names ", options.outputs.size(), " files"));
}

static absl::Status callFunction(const Options &options) {
  if (!absl::StartsWith(options.function, "@") || options.function.size() < 2)
    return usageError(absl::StrCat("FUNCTION: found ", qrt::quoted(options.function),
                                   ", expected a name such as @main"));
  std::vector<HostTensor> inputs;
  for (const std::string &path : options.inputs) {
    QRT_ASSIGN_OR_RETURN(HostTensor tensor, readTensor(path));
    inputs.push_back(std::move(tensor));
  }
  ProgramOptions programOptions = options.program;
  programOptions.listener = commandLineListener();
  QRT_ASSIGN_OR_RETURN(LoadedProgram program, loadProgram(programOptions));
  QRT_RETURN_IF_ERROR(checkOutputs(options, *program.executable));
  Stopwatch watch;
  QRT_ASSIGN_OR_RETURN(std::vector<HostTensor> results,
                       call(*program.executable, options.function.substr(1), inputs));
  program.timings.stages.emplace_back("call", watch.milliseconds());
  for (size_t i = 0; i < results.size(); ++i)
    QRT_RETURN_IF_ERROR(writeTensor(options.outputs[i], results[i]));
  if (options.timings)
    std::fputs(timingsAsText(program.timings).c_str(), stderr);
  return absl::OkStatus();
}

void cli::addCallCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "call", "Compiles a program and calls one of its functions on arrays.",
      "  quench-run call prog.mlir @scale in.npy -o out.npy\n"
      "  quench-run call layer.mlir @main x.npy positions.npy --weights w.safetensors -o y.npy",
      callFunction);
  command.argument("program", "PROGRAM", options.program.program,
                   "MLIR text, or bytecode with its checksum");
  command.argument("function", "@FUNCTION", options.function, "A public function, with its @");
  command.arguments("inputs", "IN.npy …", options.inputs,
                    "Arrays in NumPy's format, one for each argument: f32, f16, i64, i32, i8, u8");
  command.list("-o,--output", "OUT.npy", options.outputs,
               "Where a result goes; once for each result, in order");
  command.text("--weights", "FILE", options.program.weights,
               "The program's weights: a safetensors file with the formats in its metadata, or a "
               "GGUF file");
  addTargetFlags(command, options.program.target);
  command.text("--dump-stages", "DIR", options.program.dumpStages,
               "Writes the IR after each stage, LLVM IR and assembly into a folder");
  command.integer("--threads", "N", options.program.threads, 1, 1024,
                  "Threads (default: one for each core)");
  addKeepCodeFlag(command, options.program.keepCode);
  command.flag("--timings", options.timings, "Shows where the time went");
}
