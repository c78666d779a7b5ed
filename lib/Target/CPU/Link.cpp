//===- Link.cpp - an object as a shared library ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "lld/Common/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <list>

LLD_HAS_DRIVER(elf)

using namespace mlir;

// lld reads and writes files, so all of them live in the temporary folder for a
// moment.
LogicalResult mlir::quench::detail::link(MLIRContext *context,
                                         ArrayRef<SmallVector<char, 0>> objects,
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
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return error() << "linking failed: " << StringRef(messages).trim();
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return error() << "cannot read " << output << ": " << buffer.getError().message();
  library = (*buffer)->getBuffer().str();
  return success();
}
