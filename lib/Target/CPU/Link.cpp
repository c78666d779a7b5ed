//===- Link.cpp - an object as a shared library ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "lld/Common/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <list>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;

/// A library calls the runtime through a table that it is given, and nothing by name.
static llvm::Error checkSelfContained(llvm::MemoryBufferRef library, bool isInstrumented) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(library);
  if (!file)
    return file.takeError();
  for (const llvm::object::ELFSymbolRef &symbol :
       cast<llvm::object::ELFObjectFileBase>(**file).getDynamicSymbolIterators()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name)
      return llvm::joinErrors(flags.takeError(), name.takeError());
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty() ||
        llvm::is_contained({"memcpy", "memset"}, *name) ||
        (isInstrumented && name->starts_with("__")))
      continue;
    return llvm::createStringError(
        "the program needs the function '" + *name +
        "' of a library, but compiled code may call memcpy and memset only; "
        "an op that the processor has no instructions for needs it");
  }
  return llvm::Error::success();
}

// lld reads and writes files, so all of them live in the temporary folder for a
// moment.
LogicalResult mlir::quench::detail::link(MLIRContext *context,
                                         ArrayRef<SmallVector<char, 0>> objects, StringRef sanitize,
                                         std::string &library) {
  auto error = [&] { return emitError(UnknownLoc::get(context)); };
  std::list<llvm::FileRemover> removers;
  SmallVector<std::string> inputs;
  for (const SmallVector<char, 0> &object : objects) {
    SmallString<128> path;
    int descriptor;
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("quench", "o", descriptor, path))
      return error() << "cannot create a temporary file for linking: " << code.message();
    removers.emplace_back(path);
    inputs.push_back(path.str().str());
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << StringRef(object.data(), object.size());
    stream.flush();
    if (stream.has_error()) {
      std::string message = stream.error().message();
      stream.clear_error();
      return error() << "cannot write " << path << ": " << message;
    }
  }
  SmallString<128> output;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("quench", "so", output))
    return error() << "cannot create a temporary file for linking: " << code.message();
  removers.emplace_back(output);

  std::string messages;
  llvm::raw_string_ostream stream(messages);
  SmallVector<const char *> arguments = {
      "ld.lld", "-shared", "-Bsymbolic", "--hash-style=gnu", "--build-id=none", "-z", "noexecstack",
      "-z",     "now",     "-o",         output.c_str()};
  for (const std::string &input : inputs)
    arguments.push_back(input.c_str());
  // lld keeps state of the process.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return error() << "linking failed: " << StringRef(messages).trim();
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return error() << "cannot read " << output << ": " << buffer.getError().message();
  if (llvm::Error problem = checkSelfContained(**buffer, !sanitize.empty()))
    return error() << llvm::toString(std::move(problem));
  library = (*buffer)->getBuffer().str();
  return success();
}
