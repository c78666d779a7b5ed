//===- OptMain.cpp - mlir-opt's main, for files with a seal ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Program/OptMain.h"

#include "quench-rt/Program/Seal.h"
#include "quench-rt/Support/Hash.h"
#include "quench/Program/ProgramFile.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Bytecode with a seal; text as it is. What is written here need not be a whole program,
/// so its key is simply its own hash; `quench-run compile` gives a program its real one.
static std::string sealed(const std::string &output) {
  if (!isBytecode(llvm::MemoryBufferRef(output, "output")))
    return output;
  return qrt::sealProgram(output, qrt::contentHash(output));
}

LogicalResult quench::optMain(int argc, char **argv, StringRef toolName,
                              DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  auto [inputName, outputName] = registerAndParseCLIOptions(argc, argv, toolName, registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, inputName, outputName, registry);

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << "\n";
    return failure();
  }
  std::string name = input->getBufferIdentifier().str();
  auto program = checkProgram(std::move(input), name);
  if (!program) {
    llvm::errs() << llvm::toString(program.takeError()) << "\n";
    return failure();
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result = MlirOptMain(stream, std::move(*program), registry, config);
  // Upstream keeps an output file only if all went well; standard output gets all there is.
  output->os() << sealed(text);
  if (succeeded(result))
    output->keep();
  return result;
}
