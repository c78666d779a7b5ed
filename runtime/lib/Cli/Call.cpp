//===- Call.cpp - quench-run call -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CodeFinder.h"
#include "Command.h"
#include "Errors.h"
#include "Input.h"
#include "LoadedModel.h"
#include "Output.h"
#include "UserCache.h"

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/ModelFile/Npy.h"
#include "quench-rt/Program/Executable.h"
#include "quench-rt/Program/WeightSource.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstdio>
#include <cstring>

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  std::string program;
  std::string function;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string weights;
  TargetOptions target;
  std::string dumpStages;
  std::string keepCode;
  int64_t threads = 0;
  bool timings = false;
};

constexpr struct {
  NpyType file;
  ElementType element;
} kTypes[] = {{NpyType::F32, ElementType::F32}, {NpyType::F16, ElementType::F16},
              {NpyType::I32, ElementType::I32}, {NpyType::I64, ElementType::I64},
              {NpyType::I8, ElementType::I8},   {NpyType::U8, ElementType::U8}};
} // namespace

namespace {
/// For programs that declare no weights.
class NoWeights final : public WeightSource {
public:
  absl::StatusOr<CanonicalWeight> find(absl::string_view key) const override {
    return absl::NotFoundError(
        absl::StrCat("the program needs the weight '", key, "', expected --weights FILE"));
  }
  const std::string &path() const override { return none; }

private:
  std::string none;
};
} // namespace

static absl::StatusOr<std::unique_ptr<WeightSource>> weightsOf(const Options &options) {
  if (options.weights.empty())
    return std::unique_ptr<WeightSource>(std::make_unique<NoWeights>());
  return openWeights(options.weights);
}

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
static absl::Status checkOutputs(const Options &options, const LibraryDescriptor &library) {
  const EntrySpec *entry = library.findEntry(options.function.substr(1));
  if (!entry)
    return absl::NotFoundError(absl::StrCat(
        options.program, ": there is no public function ", options.function, ", expected ",
        absl::StrJoin(library.entries, ", ", [](std::string *out, const EntrySpec &known) {
          absl::StrAppend(out, "@", known.name);
        })));
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
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache, openUserCache());
  Timings timings;
  QRT_ASSIGN_OR_RETURN(
      std::vector<uint8_t> code,
      findProgramCode(*cache, options.program, options.target, options.dumpStages, timings));
  ThreadTeamOptions team;
  team.numThreads = static_cast<int>(options.threads);
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, createCpuDevice(team, options.keepCode));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CompiledLibrary> library,
                       CompiledLibrary::load(*device, code, options.program));
  WeightStoreOptions storeOptions;
  storeOptions.threads = device->numThreads();
  QRT_ASSIGN_OR_RETURN(
      std::unique_ptr<WeightStore> weights,
      WeightStore::load(
          *device, library->descriptor(), [&] { return weightsOf(options); }, storeOptions));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                       Executable::create(*device, std::move(library), std::move(weights)));
  QRT_RETURN_IF_ERROR(checkOutputs(options, executable->descriptor()));
  Stopwatch watch;
  QRT_ASSIGN_OR_RETURN(std::vector<HostTensor> results,
                       call(*executable, options.function.substr(1), inputs));
  timings.stages.emplace_back("call", watch.milliseconds());
  for (size_t i = 0; i < results.size(); ++i)
    QRT_RETURN_IF_ERROR(writeTensor(options.outputs[i], results[i]));
  if (options.timings)
    std::fputs(timingsAsText(timings).c_str(), stderr);
  return absl::OkStatus();
}

void cli::addCallCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "call", "Compiles a program and calls one of its functions on arrays.",
      "  quench-run call prog.mlir @scale in.npy -o out.npy\n"
      "  quench-run call layer.mlir @main x.npy positions.npy --weights w.safetensors -o y.npy",
      callFunction);
  command.argument("program", "PROGRAM", options.program,
                   "MLIR text, or bytecode with its checksum");
  command.argument("function", "@FUNCTION", options.function, "A public function, with its @");
  command.arguments("inputs", "IN.npy …", options.inputs,
                    "Arrays in NumPy's format, one for each argument: f32, f16, i64, i32, i8, u8");
  command.list("-o,--output", "OUT.npy", options.outputs,
               "Where a result goes; once for each result, in order");
  command.text("--weights", "FILE", options.weights,
               "The program's weights: a safetensors file with the formats in its metadata, or a "
               "GGUF file");
  options.target.addTo(command);
  command.text("--dump-stages", "DIR", options.dumpStages,
               "Writes the IR after each stage, LLVM IR and assembly into a folder");
  command.integer("--threads", "N", options.threads, 1, 1024,
                  "Threads (default: one for each core)");
  addKeepCodeFlag(command, options.keepCode);
  command.flag("--timings", options.timings, "Shows where the time went");
}
