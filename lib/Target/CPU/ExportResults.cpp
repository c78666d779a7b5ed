//===- ExportResults.cpp - results of entry points ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Target/CPU/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHEXPORTRESULTS
#include "quench/Target/CPU/Passes.h.inc"

namespace {
struct ExportResults : impl::QuenchExportResultsBase<ExportResults> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function->hasAttr(QuenchDialect::getEntryAttrName()))
      return;
    if (!llvm::hasSingleElement(function.getBody())) {
      function.emitError("expected structured control flow");
      return signalPassFailure();
    }
    Operation *terminator = function.getBody().front().getTerminator();
    OpBuilder builder(terminator);
    for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
      ResultOp::create(builder, terminator->getLoc(), value, function.getNumArguments() + i);
    terminator->setOperands({});
    function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), {}));
    function.removeResAttrsAttr();
  }
};
} // namespace
} // namespace mlir::quench
