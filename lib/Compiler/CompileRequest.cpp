//===- CompileRequest.cpp - what the caller of the compiler asks for -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CompileRequest.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

using namespace mlir::quench;

static absl::Status requestError(llvm::StringRef member, llvm::StringRef message) {
  return absl::InvalidArgumentError(("request: '" + member + "': " + message).str());
}

static absl::Status readMember(llvm::StringRef name, const llvm::json::Value &value,
                               CompileRequest &request) {
  using Text = std::string CompileRequest::*;
  Text text = llvm::StringSwitch<Text>(name)
                  .Case("input", &CompileRequest::input)
                  .Case("package", &CompileRequest::package)
                  .Case("from", &CompileRequest::from)
                  .Case("weights", &CompileRequest::weights)
                  .Case("layers", &CompileRequest::layers)
                  .Case("draft", &CompileRequest::draft)
                  .Case("draft_weights", &CompileRequest::draftWeights)
                  .Case("draft_name", &CompileRequest::draftName)
                  .Case("weights_hash", &CompileRequest::weightsHash)
                  .Case("activations", &CompileRequest::activations)
                  .Case("target", &CompileRequest::target)
                  .Case("package_else", &CompileRequest::packageElse)
                  .Case("code_target", &CompileRequest::codeTarget)
                  .Case("code_options", &CompileRequest::codeOptions)
                  .Case("sanitize", &CompileRequest::sanitize)
                  .Case("dump_stages", &CompileRequest::dumpStages)
                  .Case("crash_reproducer", &CompileRequest::crashReproducer)
                  .Case("entries", &CompileRequest::entries)
                  .Case("compiler", &CompileRequest::compiler)
                  .Default(nullptr);
  if (text) {
    auto found = value.getAsString();
    if (!found)
      return requestError(name, "expected a string");
    request.*text = found->str();
    return absl::OkStatus();
  }
  bool *flag = name == "copy_weights" ? &request.copyWeights
               : name == "portable"   ? &request.portable
               : name == "replace"    ? &request.replace
               : name == "trace"      ? &request.trace
                                      : nullptr;
  if (flag) {
    auto found = value.getAsBoolean();
    if (!found)
      return requestError(name, "expected true or false");
    *flag = *found;
    return absl::OkStatus();
  }
  if (name != "context" && name != "library_fd")
    return requestError(name, "unknown member");
  auto found = value.getAsInteger();
  if (!found || *found < 0 || *found > INT32_MAX)
    return requestError(name, "expected an integer from 0 to 2147483647");
  if (name == "context")
    request.context = *found;
  else
    request.libraryDescriptor = static_cast<int>(*found);
  return absl::OkStatus();
}

absl::StatusOr<CompileRequest> mlir::quench::parseRequest(llvm::StringRef json) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value)
    return absl::InvalidArgumentError("request: " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return absl::InvalidArgumentError("request: expected an object");
  CompileRequest request;
  for (const auto &[key, member] : *object)
    if (absl::Status status = readMember(key, member, request); !status.ok())
      return status;
  if (request.input.empty())
    return requestError("input", "missing");
  if (request.package.empty() && request.libraryDescriptor < 0)
    return requestError("package", "missing, and so is 'library_fd'");
  if (request.trace && !request.package.empty())
    return requestError("trace", "a package's program cannot be a traced one");
  if (request.activations != "i8" && request.activations != "f32")
    return requestError("activations", "expected i8 or f32");
  if (request.entries != "marked" && request.entries != "public")
    return requestError("entries", "expected marked or public");
  if (!request.sanitize.empty() && request.sanitize != "address" && request.sanitize != "thread")
    return requestError("sanitize", "expected address or thread");
  return request;
}
