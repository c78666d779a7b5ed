//===- Reduction.cpp - how quench-reduce makes programs smaller ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Tools/Reduction.h"

#include "quench/Dialect/Quench/IR/QuenchDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"

using namespace mlir;
using namespace mlir::quench;

/// An operand of the right type for each result, or nothing.
static SmallVector<Value> findReplacements(Operation *op) {
  SmallVector<Value> replacements;
  for (Type type : op->getResultTypes()) {
    auto operand = llvm::find_if(op->getOperands(),
                                 [&](Value candidate) { return candidate.getType() == type; });
    if (operand == op->operand_end())
      return {};
    replacements.push_back(*operand);
  }
  return replacements;
}

namespace {
/// Upstream applies patterns to all ops of a region and gives up if the outcome is not
/// interesting (and 22.1 then reads a module that it has freed), so each step is tested here.
class ReplaceByOperand : public RewritePattern {
public:
  ReplaceByOperand(MLIRContext *context, const Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context), tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<QuenchDialect>(op->getDialect()))
      return failure();
    SmallVector<Value> replacements = findReplacements(op);
    if (replacements.empty() || !isInterestingWithout(op))
      return failure();
    rewriter.replaceOp(op, replacements);
    return success();
  }

private:
  bool isInterestingWithout(Operation *op) const {
    Operation *whole = op;
    while (Operation *parent = whole->getParentOp())
      whole = parent;
    IRMapping copies;
    OwningOpRef<ModuleOp> trial(cast<ModuleOp>(whole->clone(copies)));
    Operation *copy = copies.lookup(op);
    copy->replaceAllUsesWith(findReplacements(copy));
    copy->erase();
    return tester.isInteresting(*trial).first == Tester::Interestingness::True;
  }

  const Tester &tester;
};

class QuenchReductionPatterns : public DialectReductionPatternInterface {
public:
  explicit QuenchReductionPatterns(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<ReplaceByOperand>(patterns.getContext(), tester);
  }
};
} // namespace

void quench::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, QuenchDialect *dialect) {
    dialect->addInterfaces<QuenchReductionPatterns>();
  });
}
