//===- QuenchToVector.cpp - block ops to loops over vectors ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quench/Conversion/Passes.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

namespace mlir::quench {
#define GEN_PASS_DEF_CONVERTQUENCHTOVECTOR
#include "quench/Conversion/Passes.h.inc"

namespace {
struct ConvertQuenchToVector : impl::ConvertQuenchToVectorBase<ConvertQuenchToVector> {
  using ConvertQuenchToVectorBase::ConvertQuenchToVectorBase;

  void runOnOperation() override {
    if (tile != "portable" && tile != "avx2") {
      getOperation().emitError("unknown tile '") << tile << "'; supported: portable, avx2";
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    detail::populateMatmul(patterns,
                           tile == "avx2" ? detail::TileKind::AVX2 : detail::TileKind::Portable);
    detail::populateAttention(patterns);
    detail::populateRowwise(patterns);
    detail::populateEmbedding(patterns);
    detail::populateArgmax(patterns);
    detail::populateElementwise(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult left = getOperation().walk([](BlockOpInterface op) {
      op.emitError("block op has no vector form here; is it bufferized and its rows static?");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::quench
