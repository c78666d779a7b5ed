//===- QuenchBytecode.h - version of the dialect in bytecode ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_DIALECT_QUENCH_IR_QUENCHBYTECODE_H
#define QUENCH_LIB_DIALECT_QUENCH_IR_QUENCHBYTECODE_H

namespace mlir::quench {
class QuenchDialect;
namespace detail {
void addBytecodeInterface(QuenchDialect *dialect);
} // namespace detail
} // namespace mlir::quench

#endif // QUENCH_LIB_DIALECT_QUENCH_IR_QUENCHBYTECODE_H
