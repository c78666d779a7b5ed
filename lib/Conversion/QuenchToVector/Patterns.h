//===- Patterns.h - one populate function for each group of block ops ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_PATTERNS_H
#define QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::quench::detail {
/// The inner tile is the one place with target code.
enum class TileKind { Portable, AVX2 };

void populateMatmul(RewritePatternSet &patterns, TileKind kind);
void populateAttention(RewritePatternSet &patterns);
void populateRowwise(RewritePatternSet &patterns);
void populateEmbedding(RewritePatternSet &patterns);
void populateArgmax(RewritePatternSet &patterns);
void populateElementwise(RewritePatternSet &patterns);
} // namespace mlir::quench::detail

#endif // QUENCH_LIB_CONVERSION_QUENCHTOVECTOR_PATTERNS_H
