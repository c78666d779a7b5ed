//===- DialectFuzzer.cpp - any text as an attribute or type of the dialect ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The input follows `#quench.` and `!quench.`, so that what is tested are the dialect's
// parsers and not those of other dialects.
//
//===----------------------------------------------------------------------===//

#include "quench/Dialect/Quench/IR/QuenchAttrs.h"
#include "quench/Dialect/Quench/IR/QuenchDialect.h"
#include "quench/Dialect/Quench/IR/QuenchTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <cstdlib>
#include <memory>

using namespace mlir;
using namespace mlir::quench;

/// LLVM's containers and arenas mark what they do not use. MLIR's half of this program was
/// compiled without, so the marks are wrong.
extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0";
}

static void require(bool condition, StringRef what, StringRef text) {
  if (condition)
    return;
  llvm::errs() << "does not hold: " << what << ", for " << text << "\n";
  std::abort();
}

template <typename T> static std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// What a context has parsed stays in it, so it is replaced now and then.
static MLIRContext &context() {
  static std::unique_ptr<MLIRContext> current;
  static unsigned uses = 0;
  if (uses++ % 1024 == 0) {
    current = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    current->loadDialect<QuenchDialect>();
    current->getDiagEngine().registerHandler([](Diagnostic &) {});
  }
  return *current;
}

static void checkAttribute(MLIRContext &context, StringRef text) {
  Attribute attribute = parseAttribute(text, &context);
  if (!attribute)
    return;
  std::string printed = print(attribute);
  require(parseAttribute(printed, &context) == attribute, "it survives printing", printed);
  auto format = dyn_cast<FormatAttrInterface>(attribute);
  auto layout = dyn_cast<LayoutAttrInterface>(attribute);
  if (format)
    require(getFormatByName(&context, format.getName()) == format, "found by name", printed);
  if (layout)
    layout.getPackedType(F32Attr::get(&context), {64, 256});
}

static void checkType(MLIRContext &context, StringRef text) {
  Type type = parseType(text, &context);
  if (!type)
    return;
  std::string printed = print(type);
  require(parseType(printed, &context) == type, "it survives printing", printed);
  if (auto weight = dyn_cast<QTensorType>(type)) {
    require(weight.getShape().back() % weight.getFormat().getBlockElements() == 0, "whole blocks",
            printed);
    PlainAttr::get(&context).getPackedType(weight.getFormat(), weight.getShape());
    RowsAttr::get(&context, 8).getPackedType(weight.getFormat(), weight.getShape());
  }
  if (auto cache = dyn_cast<CacheTypeInterface>(type))
    require(getPageBytes(cache) > 0 && getHeadPageElements(cache) > 0, "pages have a size",
            printed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &shared = context();
  std::string text(reinterpret_cast<const char *>(data), size);
  checkAttribute(shared, "#quench." + text);
  checkType(shared, "!quench." + text);
  return 0;
}
