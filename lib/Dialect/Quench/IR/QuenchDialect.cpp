//===- QuenchDialect.cpp - registration ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchDialect.h"
#include "QuenchBytecode.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quench/Dialect/Quench/IR/QuenchAttrs.h"
#include "quench/Dialect/Quench/IR/QuenchTypes.h"

using namespace mlir;
using namespace mlir::quench;

#include "quench/Dialect/Quench/IR/QuenchDialect.cpp.inc"

namespace {
bool isUnit(Attribute value) { return isa<UnitAttr>(value); }
bool isText(Attribute value) { return isa<StringAttr>(value); }
bool isCount(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isInteger(64) && number.getInt() > 0;
}
bool isSize(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isInteger(64) && number.getInt() >= 0;
}
bool isLayout(Attribute value) { return isa<LayoutAttrInterface>(value); }
bool isList(Attribute value) { return isa<ArrayAttr>(value); }

bool onModule(Operation *op) { return isa<ModuleOp>(op); }
bool onFunction(Operation *op) { return isa<FunctionOpInterface>(op); }
bool onAllocation(Operation *op) { return isa<memref::AllocOp>(op); }
bool onAny(Operation *) { return true; }

/// An attribute that is allowed on ops of any dialect.
struct DiscardableAttr {
  StringRef name;
  bool (*isPlace)(Operation *);
  StringRef place;
  bool (*isValue)(Attribute);
  StringRef value;
};
} // namespace

LogicalResult QuenchDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  static const DiscardableAttr known[] = {
      {getEntryAttrName(), onFunction, "a function", isUnit, "no value"},
      {getMaxRowsAttrName(), onModule, "the module", isCount, "a positive i64"},
      {getNameAttrName(), onModule, "the module", isText, "a string"},
      {getArchitectureAttrName(), onModule, "the module", isText, "a string"},
      {getContextAttrName(), onModule, "the module", isCount, "a positive i64"},
      {getLayoutAttrName(), onAny, "an op", isLayout, "a layout such as #quench.plain"},
      {getKernelAttrName(), onFunction, "a function", isUnit, "no value"},
      {getPrivateAttrName(), onAllocation, "a memref.alloc", isUnit, "no value"},
      {getWorkspaceBytesAttrName(), onModule, "the module", isSize, "an i64 of at least 0"},
      {getThreadWorkspaceBytesAttrName(), onModule, "the module", isSize, "an i64 of at least 0"},
      {getWeightTableAttrName(), onModule, "the module", isList, "an array"},
  };
  for (const DiscardableAttr &attr : known) {
    if (attribute.getName() != attr.name)
      continue;
    if (!attr.isPlace(op))
      return op->emitOpError("has attribute ") << attr.name << ", which belongs on " << attr.place;
    if (!attr.isValue(attribute.getValue()))
      return op->emitOpError("attribute ")
             << attr.name << ": expected " << attr.value << ", got " << attribute.getValue();
    return success();
  }
  return op->emitOpError("has an unknown attribute of the dialect: ") << attribute.getName();
}

LogicalResult QuenchDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned number,
                                                      NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || attribute.getName() != getCacheAttrName())
    return op->emitOpError("has an unknown attribute of the dialect on an argument: ")
           << attribute.getName();
  if (!isa<CacheTypeInterface>(function.getArgumentTypes()[number]))
    return op->emitOpError("has attribute ")
           << getCacheAttrName() << " on argument " << number << ", which is no cache";
  if (!isText(attribute.getValue()))
    return op->emitOpError("attribute ")
           << getCacheAttrName() << ": expected a string, got " << attribute.getValue();
  return success();
}

void QuenchDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
  detail::addBytecodeInterface(this);
}
