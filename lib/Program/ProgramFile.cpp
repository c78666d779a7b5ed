//===- ProgramFile.cpp - programs on disk: text, or bytecode with a checksum ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Program/ProgramFile.h"

#include "quench-rt/Program/Seal.h"
#include "quench-rt/Support/Hash.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Program/LayerNames.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::quench;

static absl::string_view toAbsl(StringRef text) { return {text.data(), text.size()}; }

static llvm::Error fileError(const Twine &name, const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), name + ": " + message);
}

static bool isWordOperator(StringRef text) {
  return text.starts_with("mod") || text.starts_with("floordiv") || text.starts_with("ceildiv");
}

/// The line on which brackets are nested too deeply or an affine expression has too many
/// operators, which the parser would follow by recursion; 0 if there is none. Strings and
/// comments do not count. No expression has a comma, a colon or an equals sign inside.
static size_t lineOfDeepNesting(StringRef text) {
  size_t depth = 0, operators = 0, line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\n') {
      ++line;
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\')
          ++i;
    } else if (c == '/' && next == '/') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if ((c == '-' && next == '>') || ((c == '<' || c == '>') && next == '=')) {
      ++i; // an arrow or a comparison
    } else if (StringRef("([{<").contains(c)) {
      if (++depth > kMaxNesting)
        return line;
    } else if (StringRef(")]}>").contains(c) && depth > 0) {
      --depth;
    } else if (StringRef(",:=").contains(c)) {
      operators = 0;
    } else if (StringRef("+-*").contains(c) || isWordOperator(text.substr(i))) {
      if (++operators > kMaxOperators)
        return line;
    }
  }
  return 0;
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
checkText(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef name) {
  if (size_t line = lineOfDeepNesting(buffer->getBuffer()))
    return fileError(name + ":" + Twine(line), "brackets nested more than " + Twine(kMaxNesting) +
                                                   " deep or an expression of more than " +
                                                   Twine(kMaxOperators) +
                                                   " operators, expected MLIR");
  return buffer;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
quench::checkProgram(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef name) {
  if (!isBytecode(buffer->getMemBufferRef()))
    return checkText(std::move(buffer), name);
  absl::StatusOr<qrt::SealedProgram> program =
      qrt::openProgram(toAbsl(buffer->getBuffer()), toAbsl(name));
  if (!program.ok())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   std::string(program.status().message()));
  // A copy: the parser wants bytecode aligned.
  return llvm::MemoryBuffer::getMemBufferCopy(
      StringRef(program->bytecode.data(), program->bytecode.size()), name);
}

OwningOpRef<ModuleOp> quench::readProgram(MLIRContext &context, StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  auto checked = file ? checkProgram(std::move(*file), path)
                      : llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>(
                            fileError(path, file.getError().message()));
  if (!checked) {
    emitError(UnknownLoc::get(&context), llvm::toString(checked.takeError()));
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*checked), llvm::SMLoc());
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> program = parseSourceFile<ModuleOp>(sources, config);
  if (program)
    nameLocations(*program);
  return program;
}

llvm::Expected<std::string> quench::programBytes(ModuleOp program) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  BytecodeWriterConfig config("Quench");
  if (failed(writeBytecodeToFile(program, stream, config)))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the program cannot be written as bytecode");
  return qrt::sealProgram(bytes, programKey(program));
}

namespace {
/// Hashes what is printed, without keeping it.
class HashingStream : public llvm::raw_ostream {
public:
  HashingStream() { SetBuffered(); }
  ~HashingStream() override { flush(); }

  std::string hex() {
    flush();
    return hasher.hex();
  }

private:
  void write_impl(const char *data, size_t size) override { // NOLINT: LLVM's name
    hasher.update(data, size);
    position += size;
  }
  uint64_t current_pos() const override { return position; } // NOLINT: LLVM's name

  qrt::ContentHasher hasher;
  uint64_t position = 0;
};
} // namespace

std::string quench::programKey(ModuleOp program) {
  OwningOpRef<ModuleOp> copy(program.clone());
  for (WeightOp weight : copy->getOps<WeightOp>())
    weight.setHash("");
  (*copy)->removeAttr(QuenchDialect::getNameAttrName());
  HashingStream stream;
  // The custom form: generic attributes print floats with too few digits.
  copy->print(stream, OpPrintingFlags().assumeVerified());
  return stream.hex();
}
