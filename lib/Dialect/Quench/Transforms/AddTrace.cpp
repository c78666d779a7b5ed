//===- AddTrace.cpp - adds the entry point @trace ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHADDTRACE
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
/// A value that the trace returns.
struct Tap {
  std::string name;
  unsigned result; ///< of the function that returns it
};

struct AddTrace : impl::QuenchAddTraceBase<AddTrace> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto logits = module.lookupSymbol<func::FuncOp>("logits");
    if (!logits || logits.isExternal()) {
      module.emitError("a trace needs an entry point @logits to follow, found none");
      return signalPassFailure();
    }
    if (Operation *other = module.lookupSymbol("trace")) {
      other->emitError("the program has a symbol @trace already");
      return signalPassFailure();
    }
    for (auto function : module.getOps<func::FuncOp>())
      function->removeAttr(QuenchDialect::getEntryAttrName());
    FailureOr<func::FuncOp> trace = instrument(logits, "trace");
    if (failed(trace))
      return signalPassFailure();
    (*trace)->setAttr(QuenchDialect::getEntryAttrName(), UnitAttr::get(&getContext()));
    orderResults(*trace);
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function != *trace)
        function.setPrivate();
  }

private:
  /// Rows of numbers: what one step of a model hands to the next.
  static bool isTraced(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getElementType().isF32() && tensor.getRank() == 2 &&
           tensor.isDynamicDim(0);
  }

  static std::string nameOf(Operation *op) {
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      return name.getName().str();
    if (auto call = dyn_cast<func::CallOp>(op))
      return call.getCallee().str();
    return op->getName().stripDialect().str();
  }

  /// A copy of the function that returns what is traced in it as well; taps are noted.
  FailureOr<func::FuncOp> instrument(func::FuncOp function, const Twine &name) {
    if (!llvm::hasSingleElement(function.getBody()))
      return function.emitError("expected a single block in what @logits calls");
    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    auto copy = cast<func::FuncOp>(builder.clone(*function));
    copy.setName(name.str());
    Operation *end = copy.getBody().front().getTerminator();
    SmallVector<Value> returned(end->getOperands());
    std::vector<Tap> &found = taps[copy.getName()];
    auto add = [&](std::string tap, Value value) {
      auto place = llvm::find(returned, value);
      found.push_back({std::move(tap), unsigned(place - returned.begin())});
      if (place == returned.end())
        returned.push_back(value);
    };
    for (Operation &op : llvm::make_early_inc_range(copy.getBody().front())) {
      auto call = dyn_cast<func::CallOp>(op);
      auto callee = call ? getOperation().lookupSymbol<func::FuncOp>(call.getCallee()) : nullptr;
      if (callee && !callee.isExternal() && !callee.getOps<func::CallOp>().empty()) {
        FailureOr<func::CallOp> inner = callInstrumented(call, callee);
        if (failed(inner))
          return failure();
        llvm::replace(returned, call.getResult(0), inner->getResult(0));
        for (const Tap &tap : taps[inner->getCallee()])
          add(tap.name, inner->getResult(tap.result));
        call.erase();
      } else if (call || isa<QuenchDialect>(op.getDialect())) {
        for (Value result : op.getResults())
          if (isTraced(result.getType()))
            add(nameOf(&op), result);
      }
    }
    end->setOperands(returned);
    copy.setFunctionType(
        builder.getFunctionType(copy.getArgumentTypes(), ValueRange(returned).getTypes()));
    return copy;
  }

  FailureOr<func::CallOp> callInstrumented(func::CallOp call, func::FuncOp callee) {
    const std::string name = ("trace." + callee.getName()).str();
    auto copy = getOperation().lookupSymbol<func::FuncOp>(name);
    if (!copy) {
      FailureOr<func::FuncOp> made = instrument(callee, name);
      if (failed(made))
        return failure();
      copy = *made;
    }
    OpBuilder builder(call);
    auto inner = func::CallOp::create(builder, call.getLoc(), copy, call.getOperands());
    call.replaceAllUsesWith(inner.getResults().take_front(call.getNumResults()));
    return inner;
  }

  /// Returns what was traced, in its order and with names, and nothing else. A name that
  /// occurs again gets a number.
  void orderResults(func::FuncOp trace) {
    Operation *end = trace.getBody().front().getTerminator();
    SmallVector<Value> returned;
    SmallVector<std::string> names;
    llvm::StringMap<int> seen;
    for (const Tap &tap : taps[trace.getName()]) {
      returned.push_back(end->getOperand(tap.result));
      const int before = seen[tap.name]++;
      names.push_back(before ? tap.name + "." + std::to_string(before) : tap.name);
    }
    end->setOperands(returned);
    trace.setFunctionType(FunctionType::get(&getContext(), trace.getArgumentTypes(),
                                            ValueRange(returned).getTypes()));
    trace.removeResAttrsAttr();
    for (auto [i, name] : llvm::enumerate(names))
      trace.setResultAttr(i, QuenchDialect::getNameAttrName(),
                          StringAttr::get(&getContext(), name));
  }

  llvm::StringMap<std::vector<Tap>> taps; ///< by function
};
} // namespace
} // namespace mlir::quench
