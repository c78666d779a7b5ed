//===- quench-import.cpp - a model file in, IR out -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "absl/strings/str_cat.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"
#include "quench/Import/GGUFImport.h"
#include "quench/Program/ProgramFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quench;
namespace cl = llvm::cl;

namespace {
struct CommandLine {
  cl::OptionCategory category{"quench-import options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("MODEL.gguf"), cl::cat(category)};
  cl::opt<std::string> output{
      "o",
      cl::desc("where to write: text, or bytecode if it ends in .mlirbc (- is standard output)"),
      cl::value_desc("model.mlir"), cl::init("-"), cl::cat(category)};
  cl::opt<std::string> activations{
      "activations",
      cl::desc("numbers that weights are multiplied with: i8 (default: integers in blocks of 32, "
               "cache in f16) or f32 (as they are, cache in f32)"),
      cl::value_desc("f32|i8"), cl::init("i8"), cl::cat(category)};
  cl::opt<int64_t> context{"context", cl::desc("positions of a sequence (default: the model's)"),
                           cl::value_desc("N"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> layers{
      "layers", cl::desc("the layers to keep, counted from 0 (default: all), such as 0-11,15-29"),
      cl::value_desc("LIST"), cl::cat(category)};

  /// LLVM has more than a line to say of a mistake; the first one tells. Of a value that
  /// does not fit its option it has told already.
  bool parse(int argc, char **argv);
  absl::StatusOr<ImportOptions> importOptions() const;
};
} // namespace

bool CommandLine::parse(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  std::string found;
  llvm::raw_string_ostream stream(found);
  const char *overview = "Turns a GGUF file into a module of the quench dialect.\n";
  if (cl::ParseCommandLineOptions(argc, argv, overview, &stream))
    return true;
  if (!found.empty())
    llvm::errs() << StringRef(found).split('\n').first << "\n";
  return false;
}

absl::StatusOr<ImportOptions> CommandLine::importOptions() const {
  if (input.empty())
    return absl::InvalidArgumentError("no model given, expected MODEL.gguf");
  ImportOptions options;
  if (activations != "i8" && activations != "f32")
    return absl::InvalidArgumentError(absl::StrCat(
        "--activations: ", qrt::quoted(activations.getValue()), ", expected f32 or i8"));
  options.activations = activations == "i8" ? Activations::I8 : Activations::F32;
  if (context.getNumOccurrences() && context < 1)
    return absl::InvalidArgumentError(
        absl::StrCat("--context: ", context.getValue(), ", expected a positive number"));
  options.context = context;
  if (layers.getNumOccurrences() && layers.empty())
    return absl::InvalidArgumentError("--layers: no layer, expected a list such as 0-11,15-29");
  options.layers = layers;
  return options;
}

static absl::StatusOr<std::string> contentsFor(StringRef path, ModuleOp module) {
  if (path.ends_with(".mlirbc")) {
    llvm::Expected<std::string> bytes = programBytes(module);
    if (!bytes)
      return absl::InternalError(llvm::toString(bytes.takeError()));
    return *std::move(bytes);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return text;
}

static absl::Status write(const std::string &path, const std::string &contents) {
  if (path != "-")
    return qrt::writeFileAtomically(path, contents);
  llvm::outs() << contents;
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  return error ? absl::UnavailableError("standard output: " + error.message()) : absl::OkStatus();
}

static absl::Status run(const CommandLine &commandLine) {
  QRT_ASSIGN_OR_RETURN(ImportOptions options, commandLine.importOptions());
  QRT_ASSIGN_OR_RETURN(qrt::GgufFile file, qrt::GgufFile::open(commandLine.input));
  MLIRContext context(MLIRContext::Threading::DISABLED);
  QRT_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> module, importGGUF(context, file, options));
  const std::string &path = commandLine.output;
  QRT_ASSIGN_OR_RETURN(std::string contents, contentsFor(path, *module));
  return write(path, contents);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  CommandLine commandLine;
  if (!commandLine.parse(argc, argv))
    return 1;
  absl::Status status = run(commandLine);
  if (status.ok())
    return 0;
  llvm::errs() << "quench-import: " << std::string(status.message()) << "\n";
  return 1;
}
