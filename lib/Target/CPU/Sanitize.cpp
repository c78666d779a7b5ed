//===- Sanitize.cpp - LLVM's sanitizers on emitted code ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

/// The widest access that both sanitizers check as one.
static constexpr unsigned kWidestAccess = 128;

/// Both sanitizers look at single loads and stores. That of threads passes over
/// masked and over wider ones, that of addresses looks at the ends of wider ones
/// only. Wide arithmetic is split along with them; what cannot be (the
/// instructions of a tuned tile) stays as it is, on vectors put together from parts.
static FunctionPassManager splitAccesses() {
  FunctionPassManager passes;
  passes.addPass(ScalarizeMaskedMemIntrinPass());
  ScalarizerPassOptions options;
  options.ScalarizeMinBits = kWidestAccess;
  options.ScalarizeLoadStore = true;
  passes.addPass(ScalarizerPass(options));
  return passes;
}

void mlir::quench::detail::instrument(llvm::Module &module, mlir::StringRef sanitizer) {
  bool addresses = sanitizer == "address";
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(addresses ? llvm::Attribute::SanitizeAddress
                                   : llvm::Attribute::SanitizeThread);

  // Without a target machine, no masked access counts as one that the target has.
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(splitAccesses()));
  if (addresses) {
    passes.addPass(AddressSanitizerPass(AddressSanitizerOptions()));
  } else {
    passes.addPass(ModuleThreadSanitizerPass());
    passes.addPass(createModuleToFunctionPassAdaptor(ThreadSanitizerPass()));
  }
  passes.run(module, modules);
}
