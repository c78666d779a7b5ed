//===- PlanWorkspace.cpp - places of allocations in the workspace ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Target/CPU/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHPLANWORKSPACE
#include "quench/Target/CPU/Passes.h.inc"

namespace {
constexpr int64_t kAlignment = 64;

struct PlanWorkspace : impl::QuenchPlanWorkspaceBase<PlanWorkspace> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    int64_t maxRows = 0;
    if (auto attr = module->getAttrOfType<IntegerAttr>(QuenchDialect::getMaxRowsAttrName()))
      maxRows = attr.getInt();
    int64_t shared = 0, own = 0;
    SmallVector<memref::AllocOp> allocs;
    module.walk([&](memref::AllocOp op) { allocs.push_back(op); });
    for (memref::AllocOp alloc : allocs) {
      MemRefType type = alloc.getType();
      if (!type.getElementType().isIntOrFloat()) {
        alloc.emitError("has elements of ")
            << type.getElementType() << ", expected an integer or a float";
        return signalPassFailure();
      }
      int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      for (int64_t size : type.getShape()) {
        if (ShapedType::isDynamic(size)) {
          if (maxRows <= 0) {
            alloc.emitError(
                "has a dynamic size without a bound; put quench.max_rows on the module");
            return signalPassFailure();
          }
          size = maxRows;
        }
        if (llvm::MulOverflow(bytes, size, bytes)) {
          alloc.emitError("is too large: ") << type;
          return signalPassFailure();
        }
      }
      bool isPrivate = alloc->hasAttr(QuenchDialect::getPrivateAttrName());
      int64_t &used = isPrivate ? own : shared;
      OpBuilder builder(alloc);
      Value place = WorkspaceOp::create(builder, alloc.getLoc(), type, alloc.getDynamicSizes(),
                                        used, isPrivate);
      if (llvm::AddOverflow(used, int64_t(llvm::alignTo(bytes, kAlignment)), used)) {
        alloc.emitError("makes the workspace too large");
        return signalPassFailure();
      }
      for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
        if (isa<memref::DeallocOp>(user))
          user->erase();
      alloc.replaceAllUsesWith(place);
      alloc.erase();
    }
    Builder builder(module);
    module->setAttr(QuenchDialect::getWorkspaceBytesAttrName(), builder.getI64IntegerAttr(shared));
    module->setAttr(QuenchDialect::getThreadWorkspaceBytesAttrName(),
                    builder.getI64IntegerAttr(own));
  }
};
} // namespace
} // namespace mlir::quench
