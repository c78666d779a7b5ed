//===- compile-step.cpp - instrumented code, whole and with a barrier less ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// usage: compile-step --sanitize=address|thread [--portable] [--without-barriers] PROGRAM.mlir
// FOLDER
//
// Writes FOLDER/intact.so and, if asked, for each barrier FOLDER/without-N.so, in which
// barrier N is missing. Prints the number of barriers.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "quench/Target/CPU/CPUTarget.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quench;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("PROGRAM.mlir"), cl::Required);
static cl::opt<std::string> folder(cl::Positional, cl::desc("FOLDER"), cl::Required);
static cl::opt<std::string> sanitizer("sanitize", cl::desc("address or thread"), cl::Required);
static cl::opt<bool> portable("portable", cl::desc("Expand the inner tile portably"));
static cl::opt<bool> withoutBarriers("without-barriers",
                                     cl::desc("Also compile without each barrier in turn"));

namespace {
/// The linker, a library here, resets the options above when it is done, so their
/// values are taken before.
struct Request {
  std::string input = ::input, folder = ::folder, sanitizer = ::sanitizer;
  bool portable = ::portable, withoutBarriers = ::withoutBarriers;
};
} // namespace

/// The number of barriers. Compiling consumes a program, so each call has its own.
static FailureOr<int64_t> compile(MLIRContext &context, const Request &request, int64_t drop,
                                  StringRef name) {
  OwningOpRef<ModuleOp> program = parseSourceFile<ModuleOp>(request.input, &context);
  CPUTargetOptions options;
  options.sanitize = request.sanitizer;
  options.portable = request.portable;
  options.dropBarrier = drop;
  std::string code;
  CompileReport report;
  if (!program || failed(addSpeculation(*program, "lookup", /*max=*/7)) ||
      failed(compileToLibrary(*program, options, code, report)))
    return failure();
  llvm::SmallString<128> path(request.folder);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  stream << code;
  stream.close();
  if (error || stream.has_error()) {
    llvm::errs() << "compile-step: cannot write " << path << '\n';
    stream.clear_error();
    return failure();
  }
  return report.barriers;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Compiles a program with a sanitizer.\n");
  Request request;
  if (std::error_code error = llvm::sys::fs::create_directories(request.folder)) {
    llvm::errs() << "compile-step: cannot create " << request.folder << ": " << error.message()
                 << '\n';
    return 1;
  }
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  FailureOr<int64_t> barriers = compile(context, request, /*drop=*/-1, "intact.so");
  if (failed(barriers))
    return 1;
  for (int64_t i = 0; request.withoutBarriers && i < *barriers; ++i)
    if (failed(compile(context, request, i, "without-" + std::to_string(i) + ".so")))
      return 1;
  llvm::outs() << *barriers << '\n';
  return 0;
}
