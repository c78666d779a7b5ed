//===- Accesses.cpp - memory that code touches ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

Value mlir::quench::detail::baseOf(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(def);
    if (!view)
      break;
    value = view.getViewSource();
  }
  return value;
}

/// Whether `size` is the number of rows of `base`.
static bool isRowCount(OpFoldResult size, Value base) {
  auto type = cast<MemRefType>(base.getType());
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant == type.getDimSize(0);
  auto value = dyn_cast<Value>(size);
  if (auto alloc = base.getDefiningOp<memref::AllocOp>())
    if (type.isDynamicDim(0) && alloc.getDynamicSizes()[0] == value)
      return true;
  auto dim = value.getDefiningOp<memref::DimOp>();
  return dim && dim.getSource() == base && dim.getConstantIndex() == 0;
}

/// The height of the tiles if `loop` goes over all rows of a buffer and `view`, inside
/// of it, is the rows of one iteration; otherwise 0.
static int64_t tileRows(scf::ForallOp loop, Value view) {
  auto tile = view.getDefiningOp<memref::SubViewOp>();
  if (!tile || loop.getRank() != 1)
    return 0;
  auto type = dyn_cast<MemRefType>(tile.getSource().getType());
  std::optional<int64_t> height = getConstantIntValue(loop.getMixedStep()[0]);
  if (!type || tile.getSource() != baseOf(view) || tile.getMixedOffsets().empty() || !height ||
      !isConstantIntValue(loop.getMixedLowerBound()[0], 0) ||
      !isRowCount(loop.getMixedUpperBound()[0], tile.getSource()))
    return 0;
  bool own = tile.getMixedOffsets()[0] == OpFoldResult(loop.getInductionVar(0)) &&
             getConstantIntValue(tile.getMixedSizes()[0]) == height &&
             isConstantIntValue(tile.getMixedStrides()[0], 1);
  return own ? *height : 0;
}

void Accesses::touch(Touched &set, Value base, int64_t rows) {
  auto [place, added] = set.insert({base, rows});
  if (!added && place->second != rows)
    place->second = 0;
}

bool Accesses::meet(const Touched &a, const Touched &b) {
  return llvm::any_of(a, [&](const auto &entry) {
    auto other = b.find(entry.first);
    return other != b.end() && !(entry.second && entry.second == other->second);
  });
}

void Accesses::add(const Accesses &other) {
  for (auto [base, rows] : other.reads)
    touch(reads, base, rows);
  for (auto [base, rows] : other.writes)
    touch(writes, base, rows);
  everything |= other.everything;
}

bool Accesses::conflicts(const Accesses &later) const {
  if (empty() || later.empty())
    return false;
  if (everything || later.everything)
    return true;
  return meet(writes, later.reads) || meet(writes, later.writes) || meet(reads, later.writes);
}

bool Accesses::writesOwnRows() const {
  return !everything && llvm::all_of(writes, [](const auto &entry) { return entry.second != 0; });
}

Accesses Accesses::atCall(func::CallOp call) const {
  Accesses result;
  result.everything = everything;
  auto translate = [&](const Touched &from, Touched &to) {
    for (auto [base, rows] : from) {
      auto parameter = dyn_cast<BlockArgument>(base);
      if (!parameter) {
        if (base.getDefiningOp<memref::AllocOp>())
          touch(to, base, 0);
        continue;
      }
      if (!isa<func::FuncOp>(parameter.getOwner()->getParentOp())) {
        result.everything = true;
        continue;
      }
      Value operand = call.getOperand(parameter.getArgNumber());
      // Rows of a view are not those of what it is a view of.
      touch(to, baseOf(operand), baseOf(operand) == operand ? rows : 0);
    }
  };
  translate(reads, result.reads);
  translate(writes, result.writes);
  return result;
}

Accesses Accesses::unknown() {
  Accesses result;
  result.everything = true;
  return result;
}

Accesses Accesses::of(Operation *op) {
  Accesses result;
  result.collect(op, op);
  return result;
}

/// `root` is where collecting started: views count as tiles if that is a loop.
void Accesses::collect(Operation *op, Operation *root) {
  auto loop = dyn_cast<scf::ForallOp>(root);
  auto add = [&](Touched &set, Value value) {
    Value base = baseOf(value);
    // What is allocated in a distributed loop is a thread's own.
    auto alloc = base.getDefiningOp<memref::AllocOp>();
    if (!alloc || !alloc->getParentOfType<scf::ForallOp>())
      touch(set, base, loop ? tileRows(loop, value) : 0);
  };
  if (isa<func::CallOp>(op)) {
    // A callee may do anything with its buffers and caches; what it allocates is its own.
    for (Value operand : op->getOperands())
      if (isa<MemRefType, CacheTypeInterface>(operand.getType())) {
        add(reads, operand);
        add(writes, operand);
      }
    return;
  }
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      if (isa<MemoryEffects::Allocate, MemoryEffects::Free>(effect.getEffect()))
        continue;
      if (!effect.getValue()) {
        // draft reads the host's history, which nothing here writes.
        everything |= !isa<HostDraftOp>(op);
        continue;
      }
      add(isa<MemoryEffects::Write>(effect.getEffect()) ? writes : reads, effect.getValue());
    }
  } else if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !isMemoryEffectFree(op)) {
    everything = true;
  }
  if (auto draft = dyn_cast<HostDraftOp>(op)) {
    add(reads, draft.getPending());
    for (Value output : draft.getOutputs())
      add(writes, output);
  }
  if (auto result = dyn_cast<ResultOp>(op)) {
    everything = false;
    if (isa<MemRefType>(result.getValue().getType()))
      add(reads, result.getValue());
    touch(writes, result.getValue(), 0); // a caller's buffer: nobody else's
  }
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      collect(&inner, root);
}
