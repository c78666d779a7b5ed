//===- QuenchBytecode.cpp - version of the dialect in bytecode ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "QuenchBytecode.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "quench/Dialect/Quench/IR/QuenchDialect.h"

using namespace mlir;
using namespace mlir::quench;

namespace {
struct Version : DialectVersion {
  explicit Version(uint64_t value) : value(value) {}
  uint64_t value;
};

/// Attributes and types are stored as text; only the version is ours. MLIR writes
/// and reads it only where the file has something of the dialect, so a file
/// without a version has nothing that could be misread.
struct BytecodeInterface : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(QuenchDialect::kVersion);
  }

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const override {
    uint64_t value;
    if (failed(reader.readVarInt(value)))
      return nullptr;
    // Properties of ops have no form of their own for each version.
    if (value != QuenchDialect::kVersion) {
      reader.emitError() << "quench bytecode has version " << value << ", this build reads version "
                         << QuenchDialect::kVersion;
      return nullptr;
    }
    return std::make_unique<Version>(value);
  }
};
} // namespace

void mlir::quench::detail::addBytecodeInterface(QuenchDialect *dialect) {
  dialect->addInterfaces<BytecodeInterface>();
}
