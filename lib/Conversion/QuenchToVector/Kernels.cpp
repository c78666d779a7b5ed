//===- Kernels.cpp - functions that are compiled once and called from every use ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;

MemRefType mlir::quench::detail::getKernelType(MemRefType type, ArrayRef<int64_t> keepSizes) {
  SmallVector<int64_t> shape(type.getRank(), ShapedType::kDynamic),
      strides(type.getRank(), ShapedType::kDynamic);
  for (int64_t dim : keepSizes)
    shape[dim] = type.getDimSize(dim);
  strides.back() = 1;
  // Kept sizes at the end lie densely.
  for (int64_t dim = type.getRank() - 1;
       dim > 0 && !ShapedType::isDynamic(shape[dim]) && strides[dim] != ShapedType::kDynamic; --dim)
    strides[dim - 1] = strides[dim] * shape[dim];
  return MemRefType::get(shape, type.getElementType(),
                         StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides));
}

void mlir::quench::detail::callKernel(RewriterBase &rewriter, Operation *op, StringRef name,
                                      ArrayRef<Type> types, ValueRange operands,
                                      function_ref<void(VectorEmitter &, ValueRange)> body) {
  auto module = op->getParentOfType<ModuleOp>();
  Location loc = op->getLoc();
  if (!SymbolTable::lookupSymbolIn(module, name)) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(module.getBody());
    Location where = NameLoc::get(rewriter.getStringAttr(name));
    auto function =
        func::FuncOp::create(rewriter, where, name, rewriter.getFunctionType(types, {}));
    function.setPrivate();
    function->setAttr(QuenchDialect::getKernelAttrName(), rewriter.getUnitAttr());
    Block *entry = function.addEntryBlock();
    rewriter.setInsertionPointToStart(entry);
    VectorEmitter emitter(where, rewriter);
    body(emitter, entry->getArguments());
    func::ReturnOp::create(emitter);
  }
  SmallVector<Value> arguments;
  for (auto [operand, type] : llvm::zip(operands, types))
    arguments.push_back(operand.getType() == type || !isa<MemRefType>(type)
                            ? operand
                            : memref::CastOp::create(rewriter, loc, type, operand).getResult());
  func::CallOp::create(rewriter, loc, name, TypeRange{}, arguments);
  rewriter.eraseOp(op);
}
