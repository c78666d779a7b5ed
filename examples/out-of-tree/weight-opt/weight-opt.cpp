//===- weight-opt.cpp - an optimizer with a pass of one's own --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What quench-opt does, and a pass that is not part of Quench:
//
//   weight-opt program.mlir --pass-pipeline='builtin.module(count-weights)'
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Tools/InitAll.h"

using namespace mlir;

namespace {
struct CountWeights : PassWrapper<CountWeights, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountWeights)
  StringRef getArgument() const override { return "count-weights"; }
  StringRef getDescription() const override { return "Says how many numbers the weights have"; }

  void runOnOperation() override {
    int64_t numbers = 0;
    for (quench::WeightOp weight : getOperation().getOps<quench::WeightOp>()) {
      int64_t own = 1;
      for (int64_t size : cast<quench::QTensorType>(weight.getType()).getShape())
        own *= size;
      numbers += own;
    }
    getOperation().emitRemark() << numbers << " numbers";
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  quench::registerAllDialects(registry);
  quench::registerAllPasses();
  PassRegistration<CountWeights>();
  return asMainReturnCode(MlirOptMain(argc, argv, "Optimizer with a pass of its own\n", registry));
}
