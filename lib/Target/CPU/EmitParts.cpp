//===- EmitParts.cpp - machine code of kernels side by side ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <chrono>

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

namespace {
/// A piece of the module, as bitcode: LLVM's contexts do not share threads.
struct Part {
  std::string name; // of the kernel; empty for the rest
  SmallVector<char, 0> bitcode;
  SmallVector<char, 0> object;
  std::string error;
  double milliseconds = 0;
};
} // namespace

static void emitPart(Part &part, const llvm::TargetMachine &like) {
  auto start = std::chrono::steady_clock::now();
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(StringRef(part.bitcode.data(), part.bitcode.size()), part.name),
      context);
  if (!module) {
    part.error = llvm::toString(module.takeError());
    return;
  }
  std::unique_ptr<llvm::TargetMachine> machine(like.getTarget().createTargetMachine(
      like.getTargetTriple(), like.getTargetCPU(), like.getTargetFeatureString(), like.Options,
      like.getRelocationModel(), like.getCodeModel(), like.getOptLevel()));
  if (!emitFile(**module, *machine, /*assembly=*/false, part.object))
    part.error = "target " + like.getTargetTriple().str() + " cannot emit code";
  std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  part.milliseconds = taken.count();
}

LogicalResult mlir::quench::detail::emitParts(MLIRContext *context, llvm::Module &module,
                                              Machine &machine, ArrayRef<std::string> kernels,
                                              SmallVectorImpl<SmallVector<char, 0>> &objects,
                                              CompileReport &report) {
  std::vector<Part> parts;
  auto cut = [&](StringRef name, function_ref<bool(const llvm::GlobalValue *)> keep) {
    llvm::ValueToValueMapTy map;
    std::unique_ptr<llvm::Module> clone = llvm::CloneModule(module, map, keep);
    Part &part = parts.emplace_back();
    part.name = name.str();
    llvm::raw_svector_ostream stream(part.bitcode);
    llvm::WriteBitcodeToFile(*clone, stream);
  };
  llvm::DenseSet<const llvm::GlobalValue *> taken;
  for (const std::string &name : kernels) {
    llvm::Function *function = module.getFunction(name);
    // Seen by the other parts, and by nobody outside the library.
    function->setLinkage(llvm::GlobalValue::ExternalLinkage);
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    taken.insert(function);
  }
  for (const std::string &name : kernels)
    cut(name, [&](const llvm::GlobalValue *value) { return value == module.getFunction(name); });
  cut("", [&](const llvm::GlobalValue *value) { return !taken.contains(value); });

  llvm::DefaultThreadPool pool;
  for (Part &part : parts)
    pool.async([&] { emitPart(part, *machine.target); });
  pool.wait();
  for (Part &part : parts) {
    if (!part.error.empty())
      return emitError(UnknownLoc::get(context)) << part.error;
    if (!part.name.empty())
      report.kernels.emplace_back(part.name, part.milliseconds);
    objects.push_back(std::move(part.object));
  }
  return success();
}
