//===- InlineBufferResults.cpp - inlines functions that return a buffer of their own ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Target/CPU/Passes.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHINLINEBUFFERRESULTS
#include "quench/Target/CPU/Passes.h.inc"

namespace {
/// Ops of function bodies that may be copied: functions that call each other twice would
/// double them again and again.
constexpr int64_t kMaxInlinedOps = 100000;

struct InlineBufferResults : impl::QuenchInlineBufferResultsBase<InlineBufferResults> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::SetVector<func::FuncOp> inlined;
    int64_t budget = kMaxInlinedOps;
    bool changed = true;
    if (failed(refuseRecursion(symbols)))
      return signalPassFailure();
    // Callees may call such functions themselves; without recursion this ends.
    while (changed) {
      changed = false;
      SmallVector<func::CallOp> calls;
      getOperation().walk([&](func::CallOp call) { calls.push_back(call); });
      for (func::CallOp call : calls) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        if (!callee || callee.isExternal() ||
            !llvm::any_of(call.getResultTypes(), llvm::IsaPred<MemRefType>))
          continue;
        if (!llvm::hasSingleElement(callee.getBody())) {
          call.emitError("expected a callee with structured control flow");
          return signalPassFailure();
        }
        callee.walk([&](Operation *) { --budget; });
        if (budget < 0) {
          call.emitError(
              "copies of functions that return buffers of their own make the program too "
              "large; update an argument in place, or call them less often");
          return signalPassFailure();
        }
        inlineBody(call, callee);
        inlined.insert(callee);
        changed = true;
      }
    }
    for (func::FuncOp function : inlined)
      if (function.isPrivate() && SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function.erase();
  }

  /// A function that is on the way to itself has one workspace only.
  LogicalResult refuseRecursion(SymbolTable &symbols) {
    llvm::SmallPtrSet<Operation *, 8> done, open;
    std::function<LogicalResult(func::FuncOp)> visit = [&](func::FuncOp function) {
      open.insert(function);
      WalkResult result = function.walk([&](func::CallOp call) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        if (!callee || done.contains(callee))
          return WalkResult::advance();
        if (open.contains(callee)) {
          call.emitError("calls its own function, which has one workspace only");
          return WalkResult::interrupt();
        }
        return failed(visit(callee)) ? WalkResult::interrupt() : WalkResult::advance();
      });
      open.erase(function);
      done.insert(function);
      return failure(result.wasInterrupted());
    };
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!done.contains(function) && failed(visit(function)))
        return failure();
    return success();
  }

  static void inlineBody(func::CallOp call, func::FuncOp callee) {
    OpBuilder builder(call);
    Block &body = callee.getBody().front();
    IRMapping map;
    for (auto [argument, operand] : llvm::zip(body.getArguments(), call.getOperands())) {
      Value value = operand;
      if (value.getType() != argument.getType())
        value = memref::CastOp::create(builder, call.getLoc(), argument.getType(), value);
      map.map(argument, value);
    }
    for (Operation &op : body.without_terminator())
      builder.clone(op, map);
    for (auto [result, value] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(map.lookupOrDefault(value));
    call.erase();
  }
};
} // namespace
} // namespace mlir::quench
