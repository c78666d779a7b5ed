//===- MergeLinears.cpp - merges linear layers that read the same rows ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/Dominance.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHMERGELINEARS
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
struct MergeLinears : impl::QuenchMergeLinearsBase<MergeLinears> {
  void runOnOperation() override {
    getOperation().walk([&](Block *block) { mergeIn(*block); });
  }

  static void mergeIn(Block &block) {
    // Groups in program order, so that the result does not depend on pointers.
    SmallVector<SmallVector<LinearOp>> groups;
    for (LinearOp op : block.getOps<LinearOp>()) {
      auto group = llvm::find_if(groups, [&](ArrayRef<LinearOp> group) {
        LinearOp other = group.front();
        return other.getInput() == op.getInput() &&
               other->getAttrDictionary() == op->getAttrDictionary() && availableAt(op, other);
      });
      if (group == groups.end())
        groups.push_back({op});
      else
        group->push_back(op);
    }
    for (ArrayRef<LinearOp> group : groups)
      if (group.size() > 1)
        merge(group);
  }

  static bool availableAt(LinearOp op, LinearOp place) {
    return llvm::all_of(op.getWeights(), [&](Value weight) {
      Operation *def = weight.getDefiningOp();
      return !def || def->getBlock() != place->getBlock() || def->isBeforeInBlock(place);
    });
  }

  static void merge(ArrayRef<LinearOp> group) {
    LinearOp first = group.front();
    OpBuilder builder(first);
    SmallVector<Value> weights;
    SmallVector<Type> types;
    SmallVector<Location> locations;
    for (LinearOp op : group) {
      llvm::append_range(weights, op.getWeights());
      llvm::append_range(types, op.getResultTypes());
      locations.push_back(op.getLoc());
    }
    auto merged = LinearOp::create(builder, builder.getFusedLoc(locations), types, first.getInput(),
                                   weights, first.getActivations());
    merged->setDiscardableAttrs(first->getDiscardableAttrDictionary());
    unsigned next = 0;
    for (LinearOp op : group) {
      for (Value output : op.getOutputs())
        output.replaceAllUsesWith(merged.getOutputs()[next++]);
      op.erase();
    }
  }
};
} // namespace
} // namespace mlir::quench
