//===- SpeculationLowering.h - what the lowerings of draft and verify share ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_DIALECT_QUENCH_TRANSFORMS_SPECULATIONLOWERING_H
#define QUENCH_LIB_DIALECT_QUENCH_TRANSFORMS_SPECULATIONLOWERING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

namespace mlir::quench::detail {

LogicalResult lowerDraft(DraftOp op);
LogicalResult lowerVerify(VerifyOp op);

Value constant(ImplicitLocOpBuilder &b, int64_t value);
Value add(ImplicitLocOpBuilder &b, Value x, Value y);
Value sub(ImplicitLocOpBuilder &b, Value x, Value y);

/// Number of rows.
Value rows(ImplicitLocOpBuilder &b, Value tensor);

/// tensor[offset, offset + size)
Value slice(ImplicitLocOpBuilder &b, Value tensor, Value offset, Value size);

/// `into` with `part` from `offset` on.
Value insert(ImplicitLocOpBuilder &b, Value part, Value into, Value offset);

/// first + 0, first + 1, … as i32.
Value countUp(ImplicitLocOpBuilder &b, Value first, Value size);

/// An error unless the body of a draft or verify yields best ids and their logits.
LogicalResult expectBest(Operation *op);

/// Moves such a body to where `b` inserts, to run on these rows; what it yielded.
std::pair<Value, Value> inlineBody(ImplicitLocOpBuilder &b, Block &body, Value tokens,
                                   Value positions);

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_DIALECT_QUENCH_TRANSFORMS_SPECULATIONLOWERING_H
