//===- QuantWeight.h - constants of upstream quant types as block bytes ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_CONVERSION_QUANTTOQUENCH_QUANTWEIGHT_H
#define QUENCH_LIB_CONVERSION_QUANTTOQUENCH_QUANTWEIGHT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "quench/Dialect/Quench/IR/QuenchTypes.h"
#include <vector>

namespace mlir::quench::detail {

/// A weight in a storage format of the dialect.
struct EncodedWeight {
  QTensorType type;
  std::vector<uint8_t> bytes; ///< canonical block bytes (quench-rt/Formats/Format.h)
};

/// Encodes integer `codes` of the quantized tensor type `type` (rank 1 or 2). A code q
/// of a block with scale s and zero point z stands for s * (q - z), and so does what is
/// returned, exactly:
///
///   q8_0  scale s, code q - z, which must fit in 8 bits;
///   q4_1  for 4-bit codes from c on: scale s, minimum s * (c - z), code q - c, where f16
///         holds the minimum; q8_0 otherwise.
///
/// Both share one f16 scale among 32 neighbours of the last dimension, so a block of
/// `type` must be made of such runs. With `transposed` the weight's rows are the columns
/// of the tensor. A scale that f16 does not hold is an error, or rounded to nearest with
/// `roundScales`. Errors are reported through `emitError`.
FailureOr<EncodedWeight> encodeWeight(function_ref<InFlightDiagnostic()> emitError,
                                      ElementsAttr codes, RankedTensorType type, bool transposed,
                                      bool roundScales);

} // namespace mlir::quench::detail

#endif // QUENCH_LIB_CONVERSION_QUANTTOQUENCH_QUANTWEIGHT_H
