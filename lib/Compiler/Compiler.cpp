//===- Compiler.cpp - the compiler as a shared library ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-c/Compiler.h"

#include "CompileRequest.h"
#include "Diagnostics.h"
#include "InputModel.h"
#include "PackageOutput.h"

#include "quench-rt/Program/Package.h"
#include "quench-rt/Program/Seal.h"
#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/ExitStatus.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"
#include "quench/Program/ProgramFile.h"
#include "quench/Target/CPU/CPUTarget.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::quench;

namespace {
using Timings = std::vector<std::pair<std::string, double>>;

/// Adds the time since its construction to a list.
class StageTimer {
public:
  StageTimer(Timings &timings, std::string name) : timings(timings), name(std::move(name)) {}
  ~StageTimer() {
    std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
    timings.emplace_back(std::move(name), passed.count());
  }

private:
  Timings &timings;
  std::string name;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};
} // namespace

static CPUTargetOptions targetOptions(const CompileRequest &request) {
  CPUTargetOptions options;
  auto [first, second] = StringRef(request.target).split(':');
  options.cpu = second.empty() ? first.str() : second.str();
  if (!second.empty())
    options.triple = (first + "-unknown-linux-gnu").str();
  options.portable = request.portable;
  options.sanitize = request.sanitize;
  options.dumpDir = request.dumpStages;
  options.crashReproducer = request.crashReproducer;
  return options;
}

static llvm::json::Array timingsAsJson(const Timings &timings) {
  llvm::json::Array list;
  for (const auto &[name, milliseconds] : timings)
    list.push_back(llvm::json::Object{{"name", name}, {"milliseconds", milliseconds}});
  return list;
}

static absl::Status writeTo(int descriptor, llvm::StringRef bytes) {
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/false);
  stream << bytes;
  stream.flush();
  if (!stream.has_error())
    return absl::OkStatus();
  std::string message = stream.error().message();
  stream.clear_error();
  return absl::ResourceExhaustedError("cannot hand over the compiled code: " + message);
}

static absl::Status writePackage(const CompileRequest &request, const qrt::NewPackage &package,
                                 llvm::json::Object &response) {
  absl::Status status = qrt::writePackage(request.package, package,
                                          request.replace ? qrt::ExistingPackage::Replace
                                                          : qrt::ExistingPackage::Keep);
  if (status.ok() || request.packageElse.empty())
    return status;
  response["package_error"] = llvm::json::fixUTF8(std::string(status.message()));
  return qrt::writePackage(request.packageElse, package, qrt::ExistingPackage::Keep);
}

static absl::Status handle(const CompileRequest &request, llvm::json::Object &response) {
  // Passes run one function after another: programs have few functions, and most of the
  // time goes into machine code, for which emitParts has threads of its own.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);

  const CPUTargetOptions target = targetOptions(request);
  {
    DiagnosticCollector diagnostics(context, "--target " + request.target);
    if (failed(checkTarget(&context, target)))
      return diagnostics.status("no such processor");
  }
  CompileReport report;
  InputModel model;
  {
    StageTimer timer(report.stages, "load");
    QRT_ASSIGN_OR_RETURN(model, loadInput(context, request));
  }
  // Compiling consumes the program, so all that is to be written of it comes first.
  qrt::NewPackage package;
  if (!request.package.empty()) {
    StageTimer timer(report.stages, "describe");
    QRT_ASSIGN_OR_RETURN(package, describePackage(request, model));
  }
  llvm::Expected<std::string> program = programBytes(*model.program);
  if (!program)
    return absl::InternalError(llvm::toString(program.takeError()));
  QRT_ASSIGN_OR_RETURN(qrt::SealedProgram sealed, qrt::openProgram(*program, request.input));
  std::string key = qrt::codeKey(sealed.key, request.codeOptions, request.compiler);

  std::string code;
  {
    DiagnosticCollector diagnostics(context, request.input);
    if (request.trace && failed(addTrace(*model.program, request.crashReproducer)))
      return diagnostics.status("cannot be traced");
    if (failed(compileToLibrary(*model.program, target, code, report)))
      return diagnostics.status("cannot be compiled");
  }
  code += qrt::codeSeal(key);
  {
    StageTimer timer(report.stages, "write");
    if (!request.package.empty()) {
      package.program = *std::move(program);
      if (!request.codeTarget.empty())
        package.libraries.push_back(
            {request.codeTarget, key, std::vector<uint8_t>(code.begin(), code.end())});
      QRT_RETURN_IF_ERROR(writePackage(request, package, response));
    }
    if (request.libraryDescriptor >= 0)
      QRT_RETURN_IF_ERROR(writeTo(request.libraryDescriptor, code));
  }
  response["program"] = sealed.key;
  response["key"] = key;
  response["code"] = qrt::secureHash(code);
  response["llvm"] = LLVM_VERSION_STRING;
  response["stages"] = timingsAsJson(report.stages);
  response["kernels"] = timingsAsJson(report.kernels);
  return absl::OkStatus();
}

int quench_compile(const char *text, char **response) {
  llvm::json::Object object;
  qrt::ExitStatus code = qrt::ExitStatus::Usage;
  absl::StatusOr<CompileRequest> request = parseRequest(text);
  absl::Status status = request.status();
  if (request.ok()) {
    status = handle(*request, object);
    code = qrt::exitStatusOf(status.code());
  }
  if (!status.ok()) {
    std::string message(status.message());
    object = llvm::json::Object{{"error", llvm::json::fixUTF8(message)}};
  }
  std::string answer;
  llvm::raw_string_ostream(answer) << llvm::json::Value(std::move(object));
  *response = ::strdup(answer.c_str());
  return static_cast<int>(code);
}

void quench_free_response(char *response) { std::free(response); }
