//===- QuenchOps.cpp - assembly and registration of the ops ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The generated definitions of all ops are compiled here, apart from verifiers
// and folds.
//
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::quench;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

// `[1.0, 0.5]`. Upstream prints the elements of an f32 array with seven digits, which
// is not enough to read the same numbers back.
static void printExactFloats(OpAsmPrinter &printer, Operation *, DenseF32ArrayAttr numbers) {
  printer << '[';
  llvm::interleaveComma(numbers.asArrayRef(), printer.getStream(),
                        [&](float number) { printer.printFloat(APFloat(number)); });
  printer << ']';
}

static ParseResult parseExactFloats(OpAsmParser &parser, DenseF32ArrayAttr &numbers) {
  SmallVector<float> parsed;
  auto parseOne = [&]() -> ParseResult {
    APFloat number(APFloat::IEEEsingle());
    if (parser.parseFloat(APFloat::IEEEsingle(), number))
      return failure();
    parsed.push_back(number.convertToFloat());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  numbers = parser.getBuilder().getDenseF32ArrayAttr(parsed);
  return success();
}

// The word of an enum, without the space that upstream's printer puts before it.
template <typename AttrTy>
static void printKeyword(OpAsmPrinter &printer, Operation *, AttrTy attr) {
  printer << stringifyEnum(attr.getValue());
}

template <typename AttrTy> static ParseResult parseKeyword(OpAsmParser &parser, AttrTy &attr) {
  using Enum = decltype(attr.getValue());
  SMLoc location = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    word = "";
  std::string known;
  // The values of our enums count up from 0.
  for (uint32_t value = 0;; ++value) {
    StringRef name = stringifyEnum(static_cast<Enum>(value));
    if (name.empty())
      break;
    if (name == word) {
      attr = AttrTy::get(parser.getContext(), static_cast<Enum>(value));
      return success();
    }
    known += (known.empty() ? "" : ", ") + name.str();
  }
  InFlightDiagnostic error = parser.emitError(location, "expected one of ") << known;
  if (!word.empty())
    error << ", got '" << word << "'";
  return error;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "quench/Dialect/Quench/IR/QuenchOps.cpp.inc"

void QuenchDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "quench/Dialect/Quench/IR/QuenchOps.cpp.inc"
      >();
}
