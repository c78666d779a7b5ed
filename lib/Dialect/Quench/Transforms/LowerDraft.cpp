//===- LowerDraft.cpp - a draft as tensor code ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SpeculationLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

static Value boundOf(ImplicitLocOpBuilder &b, DraftOp op) {
  return arith::MinUIOp::create(b, op.getLimit(), constant(b, op.getMax()));
}

/// The host proposes.
static void lowerLookup(DraftOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value candidates =
      tensor::EmptyOp::create(b, ArrayRef<int64_t>{int64_t(op.getMax())}, b.getI32Type());
  Value count = tensor::EmptyOp::create(b, ArrayRef<int64_t>{1}, b.getI64Type());
  auto host =
      HostDraftOp::create(b, TypeRange{candidates.getType(), count.getType()}, op.getPending(),
                          boundOf(b, op), ValueRange{candidates, count}, b.getStringAttr("lookup"));
  Value number = tensor::ExtractOp::create(b, host.getResult(1), ValueRange{constant(b, 0)});
  number = arith::IndexCastOp::create(b, b.getIndexType(), number);
  op.replaceAllUsesWith(slice(b, host.getResult(0), constant(b, 0), number));
  op.erase();
}

/// Pending tokens and candidates are one sequence: pass 0 runs all m pending tokens, pass i the
/// candidate that pass i - 1 chose, and each puts its choice behind what there is. A
/// limit of 0 leaves one pass, which brings the cache up to date.
static LogicalResult lowerModel(DraftOp op) {
  if (op.getCaches().size() != 1)
    return op.emitOpError("has a lowering for one cache, got ") << op.getCaches().size();
  if (failed(expectBest(op)))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value zero = constant(b, 0), one = constant(b, 1);
  Value m = rows(b, op.getPending()), count = boundOf(b, op);
  Value passes = arith::MaxUIOp::create(b, count, one);
  Value length = CacheLengthOp::create(b, b.getIndexType(), op.getCaches()[0]);
  Value sequence = tensor::EmptyOp::create(
      b, RankedTensorType::get({ShapedType::kDynamic}, b.getI32Type()), add(b, m, passes));
  sequence = insert(b, op.getPending(), sequence, zero);
  auto loop = scf::ForOp::create(b, zero, passes, one, ValueRange{sequence});
  b.setInsertionPointToEnd(loop.getBody());
  Value pass = loop.getInductionVar();
  sequence = loop.getRegionIterArg(0);
  Value end = add(b, m, pass);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, pass, zero);
  Value size = arith::SelectOp::create(b, isFirst, m, one);
  Value start = sub(b, end, size);
  Value tokens = slice(b, sequence, start, size);
  Value positions = countUp(b, add(b, length, start), size);
  auto [ids, logits] = inlineBody(b, op.getBody().front(), tokens, positions);
  Value choice = tensor::ExtractOp::create(b, ids, ValueRange{sub(b, size, one)});
  sequence = tensor::InsertOp::create(b, choice, sequence, ValueRange{end});
  scf::YieldOp::create(b, ValueRange{sequence});
  b.setInsertionPointAfter(loop);
  op.replaceAllUsesWith(slice(b, loop.getResult(0), m, count));
  op.erase();
  return success();
}

LogicalResult mlir::quench::detail::lowerDraft(DraftOp op) {
  if (isa<ModelAttr>(op.getSource()))
    return lowerModel(op);
  if (!isa<LookupAttr>(op.getSource()))
    return op.emitOpError("has no lowering for source ")
           << cast<DraftSourceAttrInterface>(op.getSource()).getName()
           << "; supported: lookup, model";
  lowerLookup(op);
  return success();
}
