//===- CodeFinder.cpp - code for this machine, from the cache or compiled -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/CodeFinder.h"

#include "quench-rt/Model/CompilerLibrary.h"
#include "quench-rt/Program/Seal.h"
#include "quench-rt/Support/Errors.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/MappedFile.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Stopwatch.h"
#include "quench-rt/Support/Text.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qrt;

absl::StatusOr<CompiledCode> qrt::compileCode(nlohmann::json request, const Listener &listener) {
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
    Busy busy(listener, "Compiling");
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

absl::StatusOr<std::vector<uint8_t>> qrt::compileIntoCache(ArtifactCache &cache,
                                                           nlohmann::json request, std::string key,
                                                           const Listener &listener,
                                                           Timings &timings) {
  Stopwatch watch;
  QRT_ASSIGN_OR_RETURN(CompiledCode code, compileCode(std::move(request), listener));
  timings.addCompilerResponse(code.response);
  timings.stages.emplace_back("compile", watch.milliseconds());
  if (key.empty())
    key = code.response.value("key", "");
  if (std::string error = code.response.value("package_error", ""); !error.empty())
    cache.notKept(absl::UnavailableError(error));
  cache.keepCode(key, code.bytes);
  return std::move(code.bytes);
}

/// The compiler whose code is wanted: the one that is there, or if there is none the one
/// that the package is from.
static std::string wantedCompiler(const Package &package) {
  std::string identity = compilerIdentity();
  return identity.empty() ? package.manifest().producer : identity;
}

absl::StatusOr<std::vector<uint8_t>>
qrt::findPackageCode(ArtifactCache &cache, const Package &package, const TargetOptions &target,
                     bool trustCode, const Listener &listener, Timings &timings) {
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
  return compileIntoCache(cache, std::move(request), key, listener, timings);
}

absl::StatusOr<std::vector<uint8_t>>
qrt::findProgramCode(ArtifactCache &cache, const std::string &program, const TargetOptions &target,
                     const std::string &dumpStages, const Listener &listener, Timings &timings) {
  QRT_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(program));
  const std::string_view text(reinterpret_cast<const char *>(file.data()), file.size());
  // The text's own hash: whether two texts mean the same only the compiler could say.
  std::string key = codeKey(contentHash(absl::StrCat("public entries\n", toAbsl(text))),
                            target.keyText(), compilerIdentity());
  if (dumpStages.empty())
    if (absl::optional<std::vector<uint8_t>> code = cache.read(ArtifactKind::Code, key))
      return *std::move(code);
  nlohmann::json request = {{"input", program}, {"dump_stages", dumpStages}, {"entries", "public"}};
  target.addTo(request);
  return compileIntoCache(cache, std::move(request), key, listener, timings);
}
