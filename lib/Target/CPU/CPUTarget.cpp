//===- CPUTarget.cpp - from a program to a shared library ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Target/CPU/CPUTarget.h"
#include "Descriptor.h"
#include "Emit.h"
#include "Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"
#include "quench/Target/CPU/Pipeline.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <chrono>

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

namespace {
/// Writes numbered files into the folder of --dump-stages; does nothing without one.
class Dump {
public:
  explicit Dump(StringRef folder) : folder(folder) {}

  LogicalResult write(MLIRContext *context, StringRef name, StringRef extension,
                      function_ref<void(llvm::raw_ostream &)> print) {
    if (folder.empty())
      return success();
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return emitError(UnknownLoc::get(context))
             << "cannot create " << folder << ": " << error.message();
    SmallString<128> path(folder);
    llvm::sys::path::append(path, llvm::formatv("{0:d2}-{1}.{2}", number++, name, extension).str());
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error);
    if (error)
      return emitError(UnknownLoc::get(context))
             << "cannot write " << path << ": " << error.message();
    print(stream);
    stream.flush();
    if (!stream.has_error())
      return success();
    std::string message = stream.error().message();
    stream.clear_error();
    return emitError(UnknownLoc::get(context)) << "cannot write " << path << ": " << message;
  }

private:
  std::string folder;
  int number = 0;
};

class Clock {
public:
  explicit Clock(CompileReport &report) : report(report) {}
  void lap(StringRef name) {
    auto now = std::chrono::steady_clock::now();
    report.stages.emplace_back(name.str(),
                               std::chrono::duration<double, std::milli>(now - last).count());
    last = now;
  }

private:
  CompileReport &report;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};
} // namespace

static void recordCrashes(PassManager &manager, StringRef file) {
  if (!file.empty())
    manager.enableCrashReproducerGeneration(file, /*genLocalReproducer=*/true);
}

LogicalResult mlir::quench::addSpeculation(ModuleOp program, StringRef source, int64_t max,
                                           StringRef crashReproducer) {
  QuenchAddSpeculationOptions options;
  options.source = source.str();
  options.max = max;
  PassManager manager(program.getContext());
  recordCrashes(manager, crashReproducer);
  manager.addPass(createQuenchAddSpeculation(options));
  return manager.run(program);
}

LogicalResult mlir::quench::addTrace(ModuleOp program, StringRef crashReproducer) {
  PassManager manager(program.getContext());
  recordCrashes(manager, crashReproducer);
  manager.addPass(createQuenchAddTrace());
  manager.addPass(createSymbolDCEPass());
  return manager.run(program);
}

LogicalResult mlir::quench::joinDraft(ModuleOp program, OwningOpRef<ModuleOp> draft) {
  draft->setSymName("draft");
  program.push_back(draft.release());
  PassManager manager(program.getContext());
  manager.addPass(createQuenchJoinDraft());
  return manager.run(program);
}

/// Counts the barriers, and erases the one of number `drop` if there is one.
static int64_t countBarriers(ModuleOp program, int64_t drop) {
  SmallVector<BarrierOp> barriers;
  program.walk([&](BarrierOp op) { barriers.push_back(op); });
  if (drop >= 0 && drop < int64_t(barriers.size()))
    barriers[drop].erase();
  return barriers.size();
}

LogicalResult mlir::quench::compileToLibrary(ModuleOp program, const CPUTargetOptions &options,
                                             std::string &sharedObject, CompileReport &report) {
  MLIRContext *context = program.getContext();
  FailureOr<Machine> machine = createMachine(context, options);
  if (failed(machine))
    return failure();
  if (!options.sanitize.empty() && options.sanitize != "address" && options.sanitize != "thread")
    return emitError(UnknownLoc::get(context))
           << "unknown sanitizer '" << options.sanitize << "'; supported: address, thread";
  Dump dump(options.dumpDir);
  Clock clock(report);

  Descriptor descriptor;
  if (failed(descriptor.addProgram(program)))
    return failure();
  descriptor.json["target"] = machine->describe(options);
  descriptor.json["cpu_features"] = llvm::json::Array(machine->features());
  CPUPipelineOptions pipeline;
  pipeline.tile = machine->tile;
  pipeline.fma = machine->fma;
  pipeline.f16 = machine->f16;
  auto printModule = [&](llvm::raw_ostream &stream) { program.print(stream); };
  if (failed(dump.write(context, "program", "mlir", printModule)))
    return failure();
  for (const Stage &stage : getCPUStages()) {
    PassManager manager(context);
    recordCrashes(manager, options.crashReproducer);
    stage.build(manager, pipeline);
    if (failed(manager.run(program)))
      return failure();
    if (stage.name == "threads")
      report.barriers = countBarriers(program, options.dropBarrier);
    if (failed(dump.write(context, stage.name, "mlir", printModule)))
      return failure();
    clock.lap(stage.name);
    if (stage.name == "vector")
      descriptor.addKernels(program);
  }
  if (failed(descriptor.addLowered(program)))
    return failure();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(program, llvmContext, "quench");
  if (!module)
    return program.emitError("could not be translated to LLVM IR");
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(descriptor.json));
  addQuery(*module, descriptor.entries, text);
  prepare(*module, *machine, options.sanitize);
  if (failed(dump.write(context, "module", "ll",
                        [&](llvm::raw_ostream &stream) { module->print(stream, nullptr); })))
    return failure();
  clock.lap("translate");
  if (!options.dumpDir.empty()) {
    SmallVector<char> assembly;
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    emitFile(*copy, *machine->target, /*assembly=*/true, assembly);
    if (failed(dump.write(context, "module", "s", [&](llvm::raw_ostream &stream) {
          stream << StringRef(assembly.data(), assembly.size());
        })))
      return failure();
  }
  SmallVector<SmallVector<char, 0>> objects;
  // Instrumented code is one piece.
  ArrayRef<std::string> apart = descriptor.kernels;
  if (!options.sanitize.empty())
    apart = {};
  if (failed(emitParts(context, *module, *machine, apart, objects, report)))
    return failure();
  clock.lap("codegen");
  if (failed(link(context, objects, options.sanitize, sharedObject)))
    return failure();
  clock.lap("link");
  return success();
}
