//===- QuenchAttrs.h - formats, layouts, draft sources, acceptance rules ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHATTRS_H
#define QUENCH_DIALECT_QUENCH_IR_QUENCHATTRS_H

#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "quench/Dialect/Quench/IR/QuenchDialect.h"
#include "quench/Dialect/Quench/IR/QuenchEnums.h.inc"

#include "quench/Dialect/Quench/IR/QuenchAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "quench/Dialect/Quench/IR/QuenchAttrs.h.inc"

namespace mlir::quench {
/// The attribute of the format that the runtime's table calls `name`, or null.
FormatAttrInterface getFormatByName(MLIRContext *context, StringRef name);
} // namespace mlir::quench

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHATTRS_H
