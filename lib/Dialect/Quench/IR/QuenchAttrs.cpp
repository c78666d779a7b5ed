//===- QuenchAttrs.cpp - formats, layouts, draft sources, acceptance rules ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchAttrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "quench-rt/Formats/Packing.h"
#include "quench/Dialect/Quench/IR/RuntimeFormat.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::quench;

#include "quench/Dialect/Quench/IR/QuenchAttrInterfaces.cpp.inc"
#include "quench/Dialect/Quench/IR/QuenchEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "quench/Dialect/Quench/IR/QuenchAttrs.cpp.inc"

void QuenchDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "quench/Dialect/Quench/IR/QuenchAttrs.cpp.inc"
      >();
}

FormatAttrInterface mlir::quench::getFormatByName(MLIRContext *context, StringRef name) {
  FormatAttrInterface found;
  auto consider = [&](FormatAttrInterface format) {
    if (format.getName() == name)
      found = format;
  };
  consider(F32Attr::get(context));
  consider(F16Attr::get(context));
  consider(BF16Attr::get(context));
  consider(Q4_0Attr::get(context));
  consider(Q4_1Attr::get(context));
  consider(Q5_0Attr::get(context));
  consider(Q5_1Attr::get(context));
  consider(Q8_0Attr::get(context));
  consider(Q2_KAttr::get(context));
  consider(Q3_KAttr::get(context));
  consider(Q4_KAttr::get(context));
  consider(Q5_KAttr::get(context));
  consider(Q6_KAttr::get(context));
  return found;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

std::string PlainAttr::getName() const { return "plain"; }

RankedTensorType PlainAttr::getPackedType(FormatAttrInterface format,
                                          ArrayRef<int64_t> shape) const {
  if (FloatType element = format.getFloatType())
    return RankedTensorType::get(shape, element);
  SmallVector<int64_t> packed(shape);
  packed.back() /= format.getBlockElements();
  packed.push_back(format.getBlockBytes());
  return RankedTensorType::get(packed, IntegerType::get(getContext(), 8));
}

LogicalResult RowsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t count) {
  if (count != 8)
    return emitError() << "expected 8 interleaved rows, got " << count;
  return success();
}

std::string RowsAttr::getName() const { return "rows" + std::to_string(getCount()); }

RankedTensorType RowsAttr::getPackedType(FormatAttrInterface format,
                                         ArrayRef<int64_t> shape) const {
  if (shape.size() != 2)
    return {};
  int64_t groups = llvm::divideCeil(shape[0], getCount());
  if (FloatType element = format.getFloatType())
    return RankedTensorType::get({groups, shape[1], getCount()}, element);
  std::optional<qrt::Format> known = getRuntimeFormat(format);
  if (!known)
    return {};
  int64_t bytes =
      qrt::packedBytes(*known, qrt::Layout::Rows8, getCount(), format.getBlockElements());
  if (!bytes)
    return {};
  return RankedTensorType::get({groups, shape[1] / format.getBlockElements(), bytes},
                               IntegerType::get(getContext(), 8));
}

//===----------------------------------------------------------------------===//
// Mapping onto threads
//===----------------------------------------------------------------------===//

int64_t ThreadAttr::getMappingId() const { return 0; }
bool ThreadAttr::isLinearMapping() const { return true; }
int64_t ThreadAttr::getRelativeIndex() const { return 0; }
