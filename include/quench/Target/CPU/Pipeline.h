//===- Pipeline.h - named stages from the dialect to LLVM ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_TARGET_CPU_PIPELINE_H
#define QUENCH_TARGET_CPU_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::quench {

/// What code generation has to know about a processor.
struct CPUPipelineOptions : PassPipelineOptions<CPUPipelineOptions> {
  PassOptions::Option<std::string> tile{*this, "tile",
                                        llvm::cl::desc("Form of the inner tile: portable or avx2"),
                                        llvm::cl::init("portable")};
  PassOptions::Option<bool> fma{*this, "fma", llvm::cl::desc("The target has fused multiply-add"),
                                llvm::cl::init(true)};
  PassOptions::Option<bool> f16{*this, "f16", llvm::cl::desc("The target converts f16"),
                                llvm::cl::init(true)};
};

/// One stage: its name is that of the pipeline in quench-opt (`quench-stage-<name>`)
/// and of the file that --dump-stages writes.
struct Stage {
  StringRef name;
  StringRef description;
  void (*build)(OpPassManager &, const CPUPipelineOptions &);
};

/// All stages in order. After the last the module has only dialects that
/// translate to LLVM IR.
ArrayRef<Stage> getCPUStages();

/// Appends all stages.
void buildCPUPipeline(OpPassManager &manager, const CPUPipelineOptions &options);

/// `quench-cpu` and each `quench-stage-<name>` for quench-opt.
void registerCPUPipelines();

} // namespace mlir::quench

#endif // QUENCH_TARGET_CPU_PIPELINE_H
