//===- CodeFinder.cpp - code for this machine, from the cache or compiled -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CodeFinder.h"

#include "CompilerLibrary.h"
#include "Errors.h"
#include "Input.h"

#include "quench-rt/Device/CpuFeatures.h"
#include "quench-rt/Program/Seal.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qrt;
using namespace qrt::cli;

void TargetOptions::addTo(Command &command) {
  command.text("--target", "CPU", target,
               "What code is for: native (this machine; the default), a CPU as LLVM calls it, such "
               "as x86-64-v2, or ARCHITECTURE:CPU");
  command.flag("--portable", portable, "Uses no instructions of one kind of processor only");
}

std::string TargetOptions::folderName() const {
  std::string name = target;
  if (target == "native") {
    name = std::string(hostArchitecture());
    for (const std::string &feature : cpuFeatures())
      absl::StrAppend(&name, "+", feature);
  }
  for (char &c : name)
    if (c == ':' || c == '/')
      c = '-';
  if (portable)
    name += "-portable";
  if (trace)
    name += "-trace";
  return sanitize.empty() ? name : absl::StrCat(name, "-", sanitize);
}

std::string TargetOptions::keyText() const {
  return absl::StrCat(folderName(), target == "native" ? cpuModelName() : "");
}

void TargetOptions::addTo(nlohmann::json &request) const {
  request["target"] = target;
  request["portable"] = portable;
  request["sanitize"] = sanitize;
  request["trace"] = trace;
  request["code_options"] = keyText();
}

absl::StatusOr<CompiledCode> cli::compileCode(nlohmann::json request) {
  // Memory that the child process shares: code should not go through JSON, and a file
  // would stay behind if this process were killed.
  int memory = ::memfd_create("quench-code", MFD_CLOEXEC);
  if (memory < 0)
    return environmentError(absl::StrCat("memfd_create: ", std::strerror(errno)));
  absl::Cleanup close = [memory] { ::close(memory); };
  request["library_fd"] = memory;
  request["compiler"] = compilerIdentity();
  CompiledCode code;
  {
    Progress progress("Compiling");
    QRT_ASSIGN_OR_RETURN(code.response, callCompiler(request));
  }
  struct stat info;
  if (::fstat(memory, &info) != 0)
    return environmentError(absl::StrCat("the compiled code: ", std::strerror(errno)));
  std::vector<uint8_t> &bytes = code.bytes;
  bytes.resize(static_cast<size_t>(info.st_size));
  for (size_t done = 0; done < bytes.size();) {
    ssize_t got =
        ::pread(memory, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got <= 0)
      return environmentError("the compiled code cannot be read");
    done += static_cast<size_t>(got);
  }
  return code;
}

absl::StatusOr<std::vector<uint8_t>> cli::compileIntoCache(ArtifactCache &cache,
                                                           nlohmann::json request, std::string key,
                                                           Timings &timings) {
  Stopwatch watch;
  QRT_ASSIGN_OR_RETURN(CompiledCode code, compileCode(std::move(request)));
  timings.addCompilerResponse(code.response);
  timings.stages.emplace_back("compile", watch.milliseconds());
  if (key.empty())
    key = code.response.value("key", "");
  QRT_RETURN_IF_ERROR(cache.write(ArtifactKind::Code, key, code.bytes));
  return std::move(code.bytes);
}

/// The compiler whose code is wanted: the one that is there, or if there is none the one
/// that the package is from.
static std::string wantedCompiler(const Package &package) {
  std::string identity = compilerIdentity();
  return identity.empty() ? package.manifest().producer : identity;
}

absl::StatusOr<std::vector<uint8_t>> cli::findPackageCode(ArtifactCache &cache,
                                                          const Package &package,
                                                          const TargetOptions &target,
                                                          bool trustCode, Timings &timings) {
  std::string file = package.path() + "/" + kProgramFile;
  QRT_ASSIGN_OR_RETURN(std::string bytes, package.program());
  QRT_ASSIGN_OR_RETURN(SealedProgram program, openProgram(bytes, file));
  std::string key = codeKey(program.key, target.keyText(), wantedCompiler(package));
  absl::optional<std::vector<uint8_t>> code =
      findCode(&cache, &package, target.folderName(), key, trustCode);
  if (code && hasCodeSeal(*code, key))
    return *std::move(code);
  if (code)
    cache.note(absl::StrCat(package.path(), ": code ", key,
                            " was made of another program or with other options, so it is made "
                            "again"));
  nlohmann::json request = {{"input", file}};
  target.addTo(request);
  return compileIntoCache(cache, std::move(request), key, timings);
}

absl::StatusOr<std::vector<uint8_t>>
cli::findProgramCode(ArtifactCache &cache, const std::string &program, const TargetOptions &target,
                     const std::string &dumpStages, Timings &timings) {
  QRT_ASSIGN_OR_RETURN(std::string text, readTextFile(program));
  // The text's own hash: whether two texts mean the same only the compiler could say.
  std::string key = codeKey(contentHash(absl::StrCat("public entries\n", text)), target.keyText(),
                            compilerIdentity());
  if (dumpStages.empty())
    if (absl::optional<std::vector<uint8_t>> code = cache.read(ArtifactKind::Code, key))
      return *std::move(code);
  nlohmann::json request = {{"input", program}, {"dump_stages", dumpStages}, {"entries", "public"}};
  target.addTo(request);
  return compileIntoCache(cache, std::move(request), key, timings);
}
