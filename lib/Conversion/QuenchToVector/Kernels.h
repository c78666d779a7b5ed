//===- Kernels.h - functions that are compiled once and called from every use ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_KERNELS_H
#define QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_KERNELS_H

#include "VectorEmitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::quench::detail {
/// `type` with every size but those of `keepSizes` and every stride but the last
/// dynamic, so that one kernel serves all shapes. The last dimension is unit-stride.
MemRefType getKernelType(MemRefType type, ArrayRef<int64_t> keepSizes = {});

/// Replaces `op` by a call of the private function `name` of its module with
/// `operands` cast to `types`; builds the function with `body` if it is not there
/// yet. The attribute `quench.kernel` marks it.
void callKernel(RewriterBase &rewriter, Operation *op, StringRef name, ArrayRef<Type> types,
                ValueRange operands,
                function_ref<void(VectorEmitter &, ValueRange arguments)> body);
} // namespace mlir::quench::detail

#endif // QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_KERNELS_H
