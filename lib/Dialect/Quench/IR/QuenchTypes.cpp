//===- QuenchTypes.cpp - weights and caches ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "quench-rt/Limits.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::quench;

#include "quench/Dialect/Quench/IR/QuenchTypeInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "quench/Dialect/Quench/IR/QuenchTypes.cpp.inc"

void QuenchDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "quench/Dialect/Quench/IR/QuenchTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// qtensor
//===----------------------------------------------------------------------===//

// `<` dims `,` format `>`; the last dimension is not followed by `x`.
Type QTensorType::parse(AsmParser &parser) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Attribute format;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/false) ||
      parser.parseComma())
    return {};
  SMLoc formatLocation = parser.getCurrentLocation();
  if (parser.parseAttribute(format))
    return {};
  auto formatAttr = dyn_cast<FormatAttrInterface>(format);
  if (!formatAttr) {
    parser.emitError(formatLocation) << "expected a format such as #quench.q4_1, got " << format;
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<QTensorType>(location, parser.getContext(), shape, formatAttr);
}

void QTensorType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << ", " << Attribute(getFormat()) << '>';
}

static constexpr int64_t kMaxWeightBytes = int64_t(1) << 50;

LogicalResult QTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, FormatAttrInterface format) {
  if (shape.empty() || shape.size() > 2)
    return emitError() << "expected a weight of rank 1 or 2, got rank " << shape.size();
  for (int64_t dim : shape)
    if (dim <= 0)
      return emitError() << "expected positive dimensions, got " << dim;
  int64_t block = format.getBlockElements();
  if (shape.back() % block != 0)
    return emitError() << "expected a last dimension divisible by the " << block
                       << " elements of a " << format.getName() << " block, got " << shape.back();
  // So that no product of sizes and paddings overflows.
  int64_t bytes = format.getBlockBytes();
  for (int64_t size : {shape.back() / block, shape.size() == 2 ? shape[0] : 1})
    if (llvm::MulOverflow(bytes, size, bytes) || bytes > kMaxWeightBytes)
      return emitError() << "expected a weight of at most " << kMaxWeightBytes
                         << " bytes, got more";
  return success();
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

LogicalResult PagedCacheType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t layers,
                                     int64_t heads, int64_t dim, FloatType element, int64_t slots) {
  auto positive = [&](StringRef what, int64_t value) -> LogicalResult {
    if (value > 0)
      return success();
    return emitError() << "expected a positive number of " << what << ", got " << value;
  };
  if (failed(positive("layers", layers)) || failed(positive("heads", heads)))
    return failure();
  if (dim <= 0 || dim % 8 != 0)
    return emitError() << "expected a head dimension that is a multiple of 8, got " << dim;
  if (slots <= 0 || slots % 8 != 0)
    return emitError() << "expected a number of slots that is a multiple of 8, got " << slots;
  if (!element.isF32() && !element.isF16())
    return emitError() << "expected element type f32 or f16, got " << element;
  int64_t bytes = 2 * (element.getWidth() / 8);
  for (int64_t size : {layers, heads, dim, slots})
    if (llvm::MulOverflow(bytes, size, bytes) || bytes > qrt::kMaxPageBytes)
      return emitError() << "expected pages of at most " << qrt::kMaxPageBytes
                         << " bytes, got more";
  return success();
}

int64_t mlir::quench::getHeadPageElements(CacheTypeInterface cache) {
  return 2 * cache.getDim() * cache.getSlots();
}

int64_t mlir::quench::getPageBytes(CacheTypeInterface cache) {
  return cache.getLayers() * cache.getHeads() * getHeadPageElements(cache) *
         (cache.getElement().getWidth() / 8);
}
