//===- Spmdize.cpp - sequential code with distributed loops as one SPMD function ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Target/CPU/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHSPMDIZE
#include "quench/Target/CPU/Passes.h.inc"

namespace {
/// The allocation, argument or cache that a value is a view of.
Value baseOf(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(def);
    if (!view)
      break;
    value = view.getViewSource();
  }
  return value;
}

/// Memory that code touches: bases read and written.
struct Accesses {
  llvm::SmallDenseSet<Value> reads, writes;
  bool everything = false; // effects without a value: the host, unknown ops

  bool empty() const { return reads.empty() && writes.empty() && !everything; }
  bool anyWrite() const { return !writes.empty() || everything; }

  void add(const Accesses &other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    everything |= other.everything;
  }

  /// Whether `later` must wait for these.
  bool conflicts(const Accesses &later) const {
    if (empty() || later.empty())
      return false;
    if (everything || later.everything)
      return true;
    auto meet = [](const llvm::SmallDenseSet<Value> &a, const llvm::SmallDenseSet<Value> &b) {
      return llvm::any_of(a, [&](Value value) { return b.contains(value); });
    };
    return meet(writes, later.reads) || meet(writes, later.writes) || meet(reads, later.writes);
  }
};

void collect(Operation *op, Accesses &accesses) {
  if (isa<func::CallOp>(op)) {
    // A callee may do anything with its buffers and caches; what it allocates is its own.
    for (Value operand : op->getOperands())
      if (isa<MemRefType, CacheTypeInterface>(operand.getType())) {
        accesses.reads.insert(baseOf(operand));
        accesses.writes.insert(baseOf(operand));
      }
    return;
  }
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      if (isa<MemoryEffects::Allocate, MemoryEffects::Free>(effect.getEffect()))
        continue;
      bool writes = isa<MemoryEffects::Write>(effect.getEffect());
      if (!effect.getValue()) {
        // draft reads the host's history, which nothing here writes.
        if (!isa<HostDraftOp>(op))
          accesses.everything |= true;
        continue;
      }
      (writes ? accesses.writes : accesses.reads).insert(baseOf(effect.getValue()));
    }
  } else if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !isMemoryEffectFree(op)) {
    accesses.everything = true;
  }
  if (auto draft = dyn_cast<HostDraftOp>(op)) {
    accesses.reads.insert(baseOf(draft.getPending()));
    for (Value output : draft.getOutputs())
      accesses.writes.insert(baseOf(output));
  }
  if (auto result = dyn_cast<ResultOp>(op)) {
    accesses.everything = false;
    if (isa<MemRefType>(result.getValue().getType()))
      accesses.reads.insert(baseOf(result.getValue()));
    accesses.writes.insert(result.getValue()); // a caller's buffer: nobody else's
  }
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      collect(&inner, accesses);
}

class Spmdizer {
public:
  explicit Spmdizer(func::FuncOp function) : function(function), rewriter(function.getContext()) {}

  LogicalResult run() {
    Block &body = function.getBody().front();
    if (failed(process(body)))
      return failure();
    finish(body.getTerminator());
    return success();
  }

private:
  void barrier(Operation *before) {
    rewriter.setInsertionPoint(before);
    BarrierOp::create(rewriter, before->getLoc());
    shared = {};
    first = {};
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

  LogicalResult process(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (failed(process(&op)))
        return failure();
    return success();
  }

  LogicalResult process(Operation *op) {
    if (auto forall = dyn_cast<scf::ForallOp>(op)) {
      Accesses accesses;
      collect(forall, accesses);
      waitForAll(forall, accesses);
      if (failed(distribute(forall)))
        return failure();
      shared.add(accesses);
      return success();
    }
    if (isa<func::CallOp>(op)) {
      // The callee assumes that nothing is pending, and leaves nothing.
      finish(op);
      return success();
    }
    Accesses accesses;
    collect(op, accesses);
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
    loop.walk(
        [&](memref::AllocOp alloc) { alloc->setAttr("quench.private", rewriter.getUnitAttr()); });
    return success();
  }

  func::FuncOp function;
  IRRewriter rewriter;
  Accesses shared; // since the last barrier, by several threads
  Accesses first;  // since the last barrier, by thread 0 alone
  Operation *lastGuard = nullptr;
};

struct Spmdize : impl::QuenchSpmdizeBase<Spmdize> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!llvm::hasSingleElement(function.getBody())) {
      function.emitError("expected structured control flow");
      return signalPassFailure();
    }
    if (failed(Spmdizer(function).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::quench
