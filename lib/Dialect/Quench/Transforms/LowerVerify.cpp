//===- LowerVerify.cpp - a verify as tensor code ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SpeculationLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

/// How many of the `count` candidates, from the first on, equal the choice before them: candidate i
/// against ids[first + i].
static Value countAccepted(ImplicitLocOpBuilder &b, Value candidates, Value count, Value ids,
                           Value first) {
  auto loop = scf::WhileOp::create(
      b, TypeRange{b.getIndexType()}, ValueRange{constant(b, 0)},
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        ImplicitLocOpBuilder i(loc, inner);
        Value more = arith::CmpIOp::create(i, arith::CmpIPredicate::ult, args[0], count);
        auto matches = scf::IfOp::create(i, TypeRange{i.getI1Type()}, more, /*addThen=*/true,
                                         /*addElse=*/true);
        ImplicitLocOpBuilder t(loc, matches.getThenBodyBuilder());
        Value candidate = tensor::ExtractOp::create(t, candidates, args[0]);
        Value choice = tensor::ExtractOp::create(t, ids, ValueRange{add(t, first, args[0])});
        scf::YieldOp::create(
            t, ValueRange{arith::CmpIOp::create(t, arith::CmpIPredicate::eq, candidate, choice)});
        ImplicitLocOpBuilder e(loc, matches.getElseBodyBuilder());
        scf::YieldOp::create(e, ValueRange{arith::ConstantIntOp::create(e, 0, 1)});
        scf::ConditionOp::create(i, matches.getResult(0), args);
      },
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        ImplicitLocOpBuilder i(loc, inner);
        scf::YieldOp::create(i, ValueRange{add(i, args[0], constant(i, 1))});
      });
  return loop.getResult(0);
}

namespace {
/// Lengths of the caches. With m pending tokens, which are what the shortest lacks, the
/// newest token has position `shortest` + m - 1.
struct Lengths {
  Lengths(ImplicitLocOpBuilder &b, ValueRange caches) {
    for (Value cache : caches)
      each.push_back(CacheLengthOp::create(b, b.getIndexType(), cache));
    shortest = each[0];
    for (Value length : llvm::drop_begin(each))
      shortest = arith::MinUIOp::create(b, shortest, length);
  }
  SmallVector<Value> each;
  Value shortest;
};
} // namespace

/// The first cache is the region's; the draft has run on the pending tokens and on all
/// candidates but the last one for the others.
LogicalResult mlir::quench::detail::lowerVerify(VerifyOp op) {
  if (!isa<GreedyAttr>(op.getRule()))
    return op.emitOpError("has no lowering for rule ")
           << cast<AcceptRuleAttrInterface>(op.getRule()).getName() << "; supported: greedy";
  if (failed(expectBest(op)))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value one = constant(b, 1), candidates = op.getCandidates();
  Value m = rows(b, op.getPending()), k = rows(b, candidates);
  Lengths lengths(b, op.getCaches());
  bool alone = op.getCaches().size() == 1;

  // The pending tokens that the region's cache lacks, then the candidates.
  Value known = alone ? constant(b, 0) : sub(b, lengths.each[0], lengths.shortest);
  Value lacking = alone ? m : sub(b, m, known);
  Value width = add(b, lacking, k);
  Value tokens = tensor::EmptyOp::create(
      b, RankedTensorType::get({ShapedType::kDynamic}, b.getI32Type()), width);
  Value pending = alone ? Value(op.getPending()) : slice(b, op.getPending(), known, lacking);
  tokens = insert(b, pending, tokens, constant(b, 0));
  tokens = insert(b, candidates, tokens, lacking);
  Value positions = countUp(b, lengths.each[0], width);
  auto [ids, logits] = inlineBody(b, op.getBody().front(), tokens, positions);

  Value newest = sub(b, lacking, one);
  Value accepted = countAccepted(b, candidates, k, ids, newest);
  Value emittedRows = add(b, accepted, one);
  Value emitted = slice(b, ids, newest, emittedRows);
  Value emittedLogits = slice(b, logits, newest, emittedRows);

  Value committed = add(b, lengths.each[0], add(b, lacking, accepted));
  CacheCommitOp::create(b, op.getCaches()[0], committed);
  Value nextSize = one;
  if (!alone) {
    Value drafted = arith::MaxUIOp::create(b, k, one);
    Value appended = sub(b, add(b, add(b, lengths.shortest, m), drafted), one);
    Value others = arith::MinUIOp::create(b, committed, appended);
    for (Value cache : op.getCaches().drop_front())
      CacheCommitOp::create(b, cache, others);
    nextSize = add(b, sub(b, committed, others), one);
  }
  // A candidate that was accepted is the choice of the row before it.
  Value next = slice(b, ids, sub(b, add(b, newest, emittedRows), nextSize), nextSize);
  op->replaceAllUsesWith(ValueRange{emitted, emittedLogits, accepted, next});
  op.erase();
  return success();
}
