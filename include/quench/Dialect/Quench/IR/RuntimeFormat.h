//===- RuntimeFormat.h - a format attribute's row in the runtime's table ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_RUNTIMEFORMAT_H
#define QUENCH_DIALECT_QUENCH_IR_RUNTIMEFORMAT_H

#include "quench-rt/Formats/Format.h"
#include "quench/Dialect/Quench/IR/QuenchAttrs.h"

#include <optional>

namespace mlir::quench {

/// None for a format that no file can have.
inline std::optional<qrt::Format> getRuntimeFormat(FormatAttrInterface format) {
  return qrt::formatByName(format.getName().upper());
}

} // namespace mlir::quench

#endif // QUENCH_DIALECT_QUENCH_IR_RUNTIMEFORMAT_H
