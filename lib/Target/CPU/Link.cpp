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

LLD_HAS_DRIVER(elf)

using namespace mlir;

// lld reads and writes files, so both live in the temporary folder for a moment.
LogicalResult mlir::quench::detail::link(MLIRContext *context, StringRef object, std::string &library) {
  auto error = [&] { return emitError(UnknownLoc::get(context)); };
  SmallString<128> input, output;
  int descriptor;
  std::error_code failed = llvm::sys::fs::createTemporaryFile("quench", "o", descriptor, input);
  if (failed)
    return error() << "cannot create a temporary file for linking: " << failed.message();
  llvm::FileRemover removeInput(input);
  {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << object;
    stream.flush();
    if (stream.has_error()) {
      std::string message = stream.error().message();
      stream.clear_error();
      return error() << "cannot write " << input << ": " << message;
    }
  }
  if ((failed = llvm::sys::fs::createTemporaryFile("quench", "so", output)))
    return error() << "cannot create a temporary file for linking: " << failed.message();
  llvm::FileRemover removeOutput(output);

  std::string messages;
  llvm::raw_string_ostream stream(messages);
  const char *arguments[] = {"ld.lld",           "-shared", "-Bsymbolic", "--hash-style=gnu", "--build-id=none", "-z", "noexecstack",
                             "-z",               "now",     "-o",         output.c_str(),     input.c_str()};
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return error() << "linking failed: " << StringRef(messages).trim();
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return error() << "cannot read " << output << ": " << buffer.getError().message();
  library = (*buffer)->getBuffer().str();
  return success();
}
