//===- PackageCompiler.cpp - packages made of models and programs ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/PackageCompiler.h"

#include "quench-rt/Model/CompilerLibrary.h"
#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Model/UserCache.h"
#include "quench-rt/Support/Errors.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Stopwatch.h"

#include "absl/strings/str_cat.h"

#include "nlohmann/json.hpp"

#include <sys/stat.h>

using namespace qrt;

static absl::Status checkParent(absl::string_view option, const std::string &path) {
  std::string parent = path.substr(0, path.find_last_not_of('/') + 1);
  size_t slash = parent.rfind('/');
  parent = slash == std::string::npos ? "." : parent.substr(0, slash + 1);
  struct stat info;
  if (::stat(parent.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return usageError(absl::StrCat(option, ": found ", path, ", but ", parent,
                                   " is no folder; expected a name in a folder that exists"));
  return absl::OkStatus();
}

/// A name that is free, in a folder that is there.
static absl::Status checkOutput(const std::string &path) {
  struct stat info;
  if (path.empty() || ::lstat(path.c_str(), &info) == 0)
    return usageError(absl::StrCat("-o: found ",
                                   path.empty() ? "nothing" : path + ", which exists already",
                                   ", expected the name of a new folder"));
  return checkParent("-o", path);
}

/// A name that a file has or may have. Nothing else is written to.
static absl::Status checkReproducer(const std::string &path) {
  struct stat info;
  if (path.empty() || (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)))
    return usageError(absl::StrCat("--crash-reproducer: found ",
                                   path.empty() ? "nothing" : path + ", which is no file",
                                   ", expected the name of a file"));
  return checkParent("--crash-reproducer", path);
}

/// The request for the compiler, once the options fit the kind of input.
static absl::StatusOr<nlohmann::json> makeRequest(const PackageOptions &options) {
  QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(options.input, /*programs=*/true));
  bool isGguf = kind == ModelKind::Gguf;
  if (isGguf && !(options.from.empty() && options.weights.empty()))
    return usageError("--from and --weights are for programs; a GGUF file has its own weights");
  if (!isGguf && (options.activations || options.context > 0 || options.layers))
    return usageError("--activations, --context and --layers are for GGUF files; a program says "
                      "itself which it has");
  if (options.layers && options.layers->empty())
    return usageError("--layers: found nothing, expected a list such as 0-11,15-29");
  if (!options.from.empty()) {
    QRT_ASSIGN_OR_RETURN(ModelKind from, classifyModel(options.from));
    if (from != ModelKind::Package)
      return usageError(absl::StrCat("--from: ", options.from, " is no package"));
  }
  QRT_RETURN_IF_ERROR(checkOutput(options.package));
  if (options.crashReproducer)
    QRT_RETURN_IF_ERROR(checkReproducer(*options.crashReproducer));
  bool isPackage = kind == ModelKind::Package;
  nlohmann::json request = {
      {"input", isPackage ? options.input + "/program.mlirbc" : options.input},
      {"from", options.from},
      {"weights", options.weights},
      {"package", options.package},
      {"activations", options.activations.value_or("i8")},
      {"context", options.context},
      {"layers", options.layers.value_or("")},
      {"dump_stages", options.dumpStages},
      {"crash_reproducer", options.crashReproducer.value_or("")},
      {"code_target", options.target.folderName()},
      {"compiler", compilerIdentity()}};
  if (isPackage && options.from.empty())
    request["from"] = options.input;
  options.target.addTo(request);
  return request;
}

absl::StatusOr<CompiledPackage> qrt::compilePackage(const PackageOptions &options) {
  QRT_ASSIGN_OR_RETURN(nlohmann::json request, makeRequest(options));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache,
                       openUserCacheIfPossible(options.listener));
  const Stopwatch watch;
  absl::StatusOr<nlohmann::json> response;
  {
    Busy busy(options.listener, absl::StrCat("Compiling ", options.input));
    response = callCompiler(request);
  }
  QRT_RETURN_IF_ERROR(response.status());
  CompiledPackage result;
  result.program = response->value("program", "");
  result.code = response->value("code", "");
  result.timings.addCompilerResponse(*response);
  result.timings.stages.emplace_back("compile", watch.milliseconds());
  // Code of a package is native code from outside unless it is known to be one's own.
  if (cache->keeps())
    if (absl::Status status = cache->recordOwnProduct(result.code); !status.ok())
      cache->notKept(status);
  return result;
}
