//===- Spmdize.cpp - sequential code with distributed loops as one SPMD function ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Target/CPU/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHSPMDIZE
#include "quench/Target/CPU/Passes.h.inc"

namespace {
using detail::Accesses;

/// What a caller has to know of a function.
struct Summary {
  /// What threads do before they wait for each other, when they still may be ahead of
  /// each other in the caller.
  Accesses head;
  /// Whether they do wait, on every way through the function.
  bool waits = false;
  /// What they do after they have waited for the last time.
  Accesses tail;
};
using Summaries = llvm::DenseMap<Operation *, Summary>;

class Spmdizer {
public:
  Spmdizer(func::FuncOp function, Summaries &summaries)
      : function(function), rewriter(function.getContext()), summaries(summaries) {}

  LogicalResult run() {
    Block &body = function.getBody().front();
    if (failed(process(body)))
      return failure();
    // Whoever runs an entry point waits for all threads to return.
    // A caller that goes on with the same rows needs no barrier, either.
    bool isEntry = function->hasAttr(QuenchDialect::getEntryAttrName());
    if (!isEntry && !(first.empty() && shared.writesOwnRows()))
      finish(body.getTerminator());
    summary.tail = shared;
    summaries[function] = summary;
    return success();
  }

private:
  void barrier(Operation *before) {
    rewriter.setInsertionPoint(before);
    BarrierOp::create(rewriter, before->getLoc());
    shared = {};
    first = {};
    if (before->getParentOp() == function)
      summary.waits = true;
  }

  /// Nothing may be pending where control flow joins or leaves.
  void finish(Operation *before) {
    if (!shared.empty() || !first.empty())
      barrier(before);
  }

  /// All threads execute `op`: it waits for both kinds.
  void waitForAll(Operation *op, const Accesses &accesses) {
    if (shared.conflicts(accesses) || first.conflicts(accesses))
      barrier(op);
  }

  /// Notes what `op` does, after the barrier that it may have needed.
  void note(Operation *op, const Accesses &accesses) {
    if (op->getParentOp() == function && !summary.waits)
      summary.head.add(accesses);
  }

  void call(func::CallOp op) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
    Summary called{Accesses::unknown(), /*waits=*/true, Accesses::unknown()};
    if (auto known = summaries.find(callee); known != summaries.end())
      called = {known->second.head.atCall(op), known->second.waits, known->second.tail.atCall(op)};
    waitForAll(op, called.head);
    note(op, called.head);
    if (called.waits) {
      shared = {};
      first = {};
      summary.waits |= op->getParentOp() == function;
    }
    shared.add(called.tail);
  }

  LogicalResult process(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (failed(process(&op)))
        return failure();
    return success();
  }

  LogicalResult process(Operation *op) {
    if (auto forall = dyn_cast<scf::ForallOp>(op)) {
      Accesses accesses = Accesses::of(forall);
      waitForAll(forall, accesses);
      note(forall, accesses);
      if (failed(distribute(forall)))
        return failure();
      shared.add(accesses);
      return success();
    }
    if (auto callOp = dyn_cast<func::CallOp>(op)) {
      call(callOp);
      return success();
    }
    Accesses accesses = Accesses::of(op);
    bool containsShared = op->walk([](Operation *inner) {
                              return isa<scf::ForallOp, func::CallOp>(inner)
                                         ? WalkResult::interrupt()
                                         : WalkResult::advance();
                            }).wasInterrupted();
    if (op->getNumRegions() && (containsShared || accesses.anyWrite())) {
      if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op) && containsShared)
        return op->emitOpError("cannot contain a distributed loop");
      if (containsShared || op->getNumResults()) {
        // Uniform control flow: every thread takes the same way through it.
        finish(op);
        note(op, accesses);
        for (Region &region : op->getRegions())
          for (Block &block : region) {
            if (failed(process(block)))
              return failure();
            finish(block.getTerminator());
          }
        return success();
      }
    }
    if (!accesses.anyWrite()) {
      waitForAll(op, accesses);
      note(op, accesses);
      // A read by all threads: a later write by any must wait for it.
      shared.add(accesses);
      return success();
    }
    if (op->getNumResults())
      return op->emitOpError(
          "writes memory and has results, which one thread alone cannot give to all");
    // Thread 0 does it; what thread 0 did before needs no barrier.
    if (shared.conflicts(accesses))
      barrier(op);
    note(op, accesses);
    first.add(accesses);
    wrap(op);
    return success();
  }

  /// Moves `op` into `if (thread == 0)`, the one just before it if there is one.
  void wrap(Operation *op) {
    if (Operation *previous = op->getPrevNode(); previous && previous == lastGuard) {
      op->moveBefore(cast<scf::IfOp>(previous).thenBlock()->getTerminator());
      return;
    }
    rewriter.setInsertionPoint(op);
    Value thread = ThreadIdOp::create(rewriter, op->getLoc(), rewriter.getIndexType());
    Value zero = arith::ConstantIndexOp::create(rewriter, op->getLoc(), 0);
    Value isFirst =
        arith::CmpIOp::create(rewriter, op->getLoc(), arith::CmpIPredicate::eq, thread, zero);
    auto guard = scf::IfOp::create(rewriter, op->getLoc(), isFirst, /*withElseRegion=*/false);
    op->moveBefore(guard.thenBlock()->getTerminator());
    lastGuard = guard;
  }

  /// The thread's contiguous share of the tiles, in row-major order of the loop.
  LogicalResult distribute(scf::ForallOp forall) {
    if (forall->getNumResults())
      return forall.emitOpError("expected a loop on buffers");
    ArrayAttr mapping = forall.getMappingAttr();
    if (!mapping || !llvm::all_of(mapping, llvm::IsaPred<ThreadAttr>))
      return forall.emitOpError("expected a mapping to #quench.thread in every dimension");
    rewriter.setInsertionPoint(forall);
    Location loc = forall.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    auto values = [&](ArrayRef<OpFoldResult> list) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, list);
    };
    SmallVector<Value> lower = values(forall.getMixedLowerBound()),
                       upper = values(forall.getMixedUpperBound()),
                       step = values(forall.getMixedStep()), counts;
    Value total;
    for (auto [lb, ub, s] : llvm::zip(lower, upper, step)) {
      Value size = arith::SubIOp::create(rewriter, loc, ub, lb);
      Value count = arith::CeilDivUIOp::create(rewriter, loc, size, s);
      counts.push_back(count);
      total = total ? arith::MulIOp::create(rewriter, loc, total, count).getResult() : count;
    }
    Value thread = ThreadIdOp::create(rewriter, loc, rewriter.getIndexType());
    Value threads = NumThreadsOp::create(rewriter, loc, rewriter.getIndexType());
    // Shares differ by at most one tile: [total * t / n, total * (t + 1) / n).
    auto bound = [&](Value t) -> Value {
      return arith::DivUIOp::create(rewriter, loc, arith::MulIOp::create(rewriter, loc, total, t),
                                    threads);
    };
    Value begin = bound(thread),
          end = bound(arith::AddIOp::create(rewriter, loc, thread, constant(1)));
    auto loop = scf::ForOp::create(rewriter, loc, begin, end, constant(1));
    rewriter.setInsertionPointToStart(loop.getBody());
    Value rest = loop.getInductionVar();
    SmallVector<Value> ivs(counts.size());
    for (int64_t i = counts.size() - 1; i >= 0; --i) {
      Value here = i ? arith::RemUIOp::create(rewriter, loc, rest, counts[i]).getResult() : rest;
      if (i)
        rest = arith::DivUIOp::create(rewriter, loc, rest, counts[i]);
      ivs[i] = arith::AddIOp::create(rewriter, loc, lower[i],
                                     arith::MulIOp::create(rewriter, loc, here, step[i]));
    }
    rewriter.eraseOp(forall.getTerminator());
    rewriter.inlineBlockBefore(forall.getBody(), loop.getBody()->getTerminator(), ivs);
    rewriter.eraseOp(forall);
    loop.walk([&](memref::AllocOp alloc) {
      alloc->setAttr(QuenchDialect::getPrivateAttrName(), rewriter.getUnitAttr());
    });
    return success();
  }

  func::FuncOp function;
  IRRewriter rewriter;
  Summaries &summaries; // of the functions done so far
  Summary summary;
  Accesses shared; // since the last barrier, by several threads
  Accesses first;  // since the last barrier, by thread 0 alone
  Operation *lastGuard = nullptr;
};

struct Spmdize : impl::QuenchSpmdizeBase<Spmdize> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(process(function)))
        return signalPassFailure();
  }

  /// Callees come first; one of a cycle stays without a summary.
  LogicalResult process(func::FuncOp function) {
    if (function.isExternal() || !seen.insert(function).second)
      return success();
    if (!llvm::hasSingleElement(function.getBody()))
      return function.emitError("expected structured control flow");
    WalkResult callees = function.walk([&](func::CallOp call) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
      return callee && failed(process(callee)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (callees.wasInterrupted())
      return failure();
    return Spmdizer(function, summaries).run();
  }

  llvm::DenseSet<Operation *> seen;
  Summaries summaries;
};
} // namespace
} // namespace mlir::quench
