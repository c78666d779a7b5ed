//===- Accesses.h - memory that code touches -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_TARGET_CPU_ACCESSES_H
#define QUENCH_LIB_TARGET_CPU_ACCESSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::quench::detail {

/// The allocation, argument or cache that a value is a view of.
Value baseOf(Value value);

/// Which buffers and caches code reads and writes, of those that threads share, each named
/// by its base. Of a buffer it may be known that a distributed loop goes over its rows and
/// that each iteration touches the rows of its own tile only. Two such loops with tiles of
/// one height give every row to the same thread, so that nothing crosses threads between
/// them.
class Accesses {
public:
  /// Everything that `op` and what is in it may touch.
  static Accesses of(Operation *op);
  /// Memory that nothing is known of.
  static Accesses unknown();

  bool empty() const { return reads.empty() && writes.empty() && !everything; }
  bool anyWrite() const { return !writes.empty() || everything; }
  /// Whether each thread has written the rows of its own tiles and nothing else.
  bool writesOwnRows() const;

  void add(const Accesses &other);

  /// Whether threads that have done these have to wait for each other before `later`.
  bool conflicts(const Accesses &later) const;

  /// As seen by a caller: these are of the callee, whose parameters stand for the
  /// operands of `call`. The callee's own buffers keep their names, since another call
  /// uses the same; how many rows they have then is not known.
  Accesses atCall(func::CallOp call) const;

private:
  /// Height of the tiles if rows are shared out as above; 0 if not.
  using Touched = llvm::SmallDenseMap<Value, int64_t>;

  void collect(Operation *op, Operation *loop);
  static void touch(Touched &set, Value base, int64_t rows);
  static bool meet(const Touched &a, const Touched &b);

  Touched reads, writes;
  bool everything = false; // effects without a value: the host, unknown ops
};

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_TARGET_CPU_ACCESSES_H
