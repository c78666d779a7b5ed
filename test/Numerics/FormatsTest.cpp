//===- FormatsTest.cpp - formats of the dialect and of the runtime --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// QuenchAttrs.td repeats the name and the block of every format of the runtime's table,
// so that the dialect needs no runtime. Here the two are compared.
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Format.h"
#include "quench/Dialect/Quench/IR/QuenchAttrs.h"
#include "quench/Dialect/Quench/IR/QuenchDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quench;

TEST(Formats, TheDialectHasTheRuntimesTable) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<QuenchDialect>();
  for (size_t i = 0; i < qrt::kNumFormats; ++i) {
    const qrt::FormatInfo &info = qrt::formatInfo(static_cast<qrt::Format>(i));
    std::string name = llvm::StringRef(info.name.data(), info.name.size()).lower();
    SCOPED_TRACE(name);
    FormatAttrInterface format = getFormatByName(&context, name);
    ASSERT_TRUE(format);
    EXPECT_EQ(format.getName().str(), name);
    EXPECT_EQ(format.getBlockElements(), int64_t(info.blockElements));
    EXPECT_EQ(format.getBlockBytes(), int64_t(info.blockBytes));
    EXPECT_EQ(bool(format.getFloatType()), info.blockElements == 1);
    if (FloatType type = format.getFloatType())
      EXPECT_EQ(type.getWidth(), 8 * info.blockBytes);
    EXPECT_TRUE(parseAttribute("#quench." + name, &context) == format);
  }
}
