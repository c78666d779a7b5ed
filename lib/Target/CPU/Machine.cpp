//===- Machine.cpp - the processor that code is generated for ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

static void initializeTargets() {
  static bool once = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    return true;
  }();
  (void)once;
}

FailureOr<Machine> mlir::quench::detail::createMachine(MLIRContext *context,
                                                       const CPUTargetOptions &options) {
  initializeTargets();
  auto error = [&] { return emitError(UnknownLoc::get(context)); };
  bool native = options.cpu == "native";
  llvm::Triple triple(options.triple.empty() ? llvm::sys::getDefaultTargetTriple()
                                             : options.triple);
  if (triple.getArch() != llvm::Triple::x86_64 && triple.getArch() != llvm::Triple::aarch64) {
    error() << "unsupported target '" << triple.str() << "'; supported: x86_64 and aarch64";
    return failure();
  }
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target) {
    error() << message;
    return failure();
  }
  std::string cpu = options.cpu, features;
  if (native) {
    if (triple.getArch() != llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch()) {
      error() << "target 'native' is this machine, not " << triple.str() << "; name a CPU";
      return failure();
    }
    cpu = llvm::sys::getHostCPUName().str();
    // What the machine (or its hypervisor) really offers can be less than its name says.
    SmallVector<std::string> list;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      list.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(list);
    features = llvm::join(list, ",");
  }
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(cpu)) {
    error() << "unknown CPU '" << cpu << "' for " << triple.str()
            << "; 'native' is this machine, or give a name that LLVM knows (x86-64-v2, znver3, …)";
    return failure();
  }
  llvm::TargetOptions codegen;
  // What is to be fused says so; nothing else may be.
  codegen.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  Machine machine;
  machine.target.reset(target->createTargetMachine(triple, cpu, features, codegen,
                                                   llvm::Reloc::PIC_, std::nullopt,
                                                   llvm::CodeGenOptLevel::Less));
  const llvm::MCSubtargetInfo *subtarget = machine.target->getMCSubtargetInfo();
  if (triple.isX86()) {
    machine.fma = subtarget->checkFeatures("+fma");
    machine.f16 = subtarget->checkFeatures("+f16c");
    machine.tile =
        subtarget->checkFeatures("+avx2") && machine.fma && !options.portable ? "avx2" : "portable";
  } else {
    machine.fma = machine.f16 = true;
    machine.tile = "portable";
  }
  return machine;
}

std::vector<std::string> Machine::features() const {
  std::vector<std::string> result;
  for (const llvm::SubtargetFeatureKV &feature :
       target->getMCSubtargetInfo()->getEnabledProcessorFeatures())
    result.push_back(feature.Key);
  return result;
}

LogicalResult mlir::quench::checkTarget(MLIRContext *context, const CPUTargetOptions &options) {
  return createMachine(context, options);
}

std::string Machine::describe(const CPUTargetOptions &options) const {
  std::string result =
      target->getTargetTriple().str() + "/" + target->getTargetCPU().str() + "/" + tile;
  // Two machines of one name may differ in features.
  if (options.cpu == "native")
    result += "/" + target->getTargetFeatureString().str();
  if (!options.sanitize.empty())
    result += "/sanitize=" + options.sanitize;
  return result;
}
