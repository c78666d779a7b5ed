//===- Pipeline.cpp - named stages from the dialect to LLVM ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Target/CPU/Pipeline.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "quench/Conversion/Passes.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"
#include "quench/Target/CPU/Passes.h"

using namespace mlir;
using namespace mlir::quench;

/// Between tiling and spmdize upstream's canonicalization would inline a
/// distributed loop of one tile, and then every thread would run it.
static std::unique_ptr<Pass> createTiledCanonicalizer() {
  return createCanonicalizerPass(
      GreedyRewriteConfig(),
      /*disabledPatterns=*/{"(anonymous namespace)::ForallOpSingleOrZeroIterationDimsFolder"});
}

static void buildModel(OpPassManager &pm, const CPUPipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createQuenchMergeLinears());
  pm.addPass(createQuenchFuseAcceptance());
}

static void buildBlocks(OpPassManager &pm, const CPUPipelineOptions &) {
  pm.addPass(createQuenchLowerSpeculation());
  pm.addPass(createQuenchAssignLayout());
  pm.addPass(createQuenchMaterializeLayout());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void buildTile(OpPassManager &pm, const CPUPipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createQuenchTile());
  pm.addPass(createTiledCanonicalizer());
  pm.addPass(createCSEPass());
}

static void buildBuffers(OpPassManager &pm, const CPUPipelineOptions &) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(bufferization::createDropEquivalentBufferResultsPass());
  pm.addPass(createQuenchInlineBufferResults());
  pm.addPass(createCSEPass()); // makes copies of a view onto itself visible
  pm.addPass(createTiledCanonicalizer());
  pm.addPass(createCSEPass());
}

static void buildThreads(OpPassManager &pm, const CPUPipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createQuenchExportResults());
  pm.addPass(createQuenchSpmdize());
  pm.addPass(createQuenchPlanWorkspace());
}

static void buildVector(OpPassManager &pm, const CPUPipelineOptions &options) {
  ConvertQuenchToVectorOptions vector;
  vector.tile = options.tile;
  pm.addPass(createConvertQuenchToVector(vector));
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  QuenchLegalizeFloatsOptions floats;
  floats.fma = options.fma;
  floats.f16 = options.f16;
  pm.addPass(createQuenchLegalizeFloats(floats));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
}

static void buildLLVM(OpPassManager &pm, const CPUPipelineOptions &) {
  pm.addPass(createConvertQuenchToRuntime());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  // convert-to-llvm alone leaves vector.broadcast behind.
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

ArrayRef<Stage> mlir::quench::getCPUStages() {
  static const Stage stages[] = {
      {"model", "merge linear layers, fuse acceptance", buildModel},
      {"blocks", "choose layouts; model ops become block ops on packed weights", buildBlocks},
      {"tile", "distribute over threads, fuse producers", buildTile},
      {"buffers", "tensors become buffers", buildBuffers},
      {"threads", "one SPMD function with barriers; place buffers", buildThreads},
      {"vector", "block ops become loops over vectors", buildVector},
      {"llvm", "the runtime's calling convention; the LLVM dialect", buildLLVM},
  };
  return stages;
}

void mlir::quench::buildCPUPipeline(OpPassManager &manager, const CPUPipelineOptions &options) {
  for (const Stage &stage : getCPUStages())
    stage.build(manager, options);
}

void mlir::quench::registerCPUPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>("quench-cpu", "All stages of the CPU target",
                                               buildCPUPipeline);
  for (const Stage &stage : getCPUStages())
    PassPipelineRegistration<CPUPipelineOptions>(("quench-stage-" + stage.name).str(),
                                                 stage.description, stage.build);
}
