//===- CompilerLibrary.cpp - the compiler, opened when it is needed -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/CompilerLibrary.h"

#include "BuildId.h"

#include "quench-rt/Support/Errors.h"
#include "quench-rt/Support/MappedFile.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace qrt;
using nlohmann::json;

/// quench_compile of quench-c/Compiler.h.
using CompileFn = int (*)(const char *request, char **response);

/// The file that this code is in, with its path: a program or a shared library.
static std::string ownFile() {
  static const char here = 0;
  Dl_info info;
  void *map = nullptr;
  if (::dladdr1(&here, &info, &map, RTLD_DL_LINKMAP) == 0 || !map)
    return "";
  const char *name = static_cast<link_map *>(map)->l_name;
  char path[PATH_MAX];
  // The name of the program itself is empty.
  return ::realpath(*name ? name : "/proc/self/exe", path) ? path : "";
}

absl::StatusOr<std::string> qrt::compilerPath() {
  std::string folder = ownFile();
  if (folder.empty())
    return environmentError("it is unknown where this program is, so the compiler cannot be found");
  const std::string name = absl::StrCat("/libQuenchCompiler.so.", QUENCH_VERSION);
  folder.resize(folder.rfind('/'));
  if (std::string beside = folder + name; ::access(beside.c_str(), F_OK) == 0)
    return beside;
  // …/bin/quench-run and …/lib/libQuenchCompiler.so
  folder.resize(std::min(folder.size(), folder.rfind('/')));
  return absl::StrCat(folder, "/lib", name);
}

std::string qrt::compilerIdentity() {
  absl::StatusOr<std::string> path = compilerPath();
  if (!path.ok())
    return "";
  absl::StatusOr<MappedFile> file = MappedFile::open(*path);
  if (!file.ok())
    return "";
  return findBuildId({file->data(), file->size()});
}

static absl::StatusOr<CompileFn> openCompiler() {
  QRT_ASSIGN_OR_RETURN(std::string path, qrt::compilerPath());
  if (::access(path.c_str(), R_OK) != 0)
    return qrt::environmentError(absl::StrCat(
        path,
        ": no such file; this model has to be compiled, and that is where the compiler is "
        "expected (models and packages that were compiled on this machine run without it, as long "
        "as the cache folder is kept)"));
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = ::dlerror();
    return qrt::environmentError(absl::StrCat(
        path, ": the compiler cannot be loaded: ", reason ? reason : "no reason given"));
  }
  auto compile = reinterpret_cast<CompileFn>(::dlsym(library, "quench_compile"));
  if (!compile)
    return qrt::environmentError(absl::StrCat(path, ": this is no compiler of this version"));
  return compile;
}

/// What the child process does: everything that needs the compiler.
static std::string compileInChild(const std::string &request, int &code) {
  absl::StatusOr<CompileFn> compile = openCompiler();
  if (!compile.ok()) {
    code = static_cast<int>(ExitStatus::Environment);
    return json({{"error", std::string(compile.status().message())}})
        .dump(-1, ' ', false, json::error_handler_t::replace);
  }
  char *text = nullptr;
  code = (*compile)(request.c_str(), &text);
  return text ? text : "";
}

/// Writes everything, or as much as the reader takes.
static void writeAll(int fd, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      return;
    done += static_cast<size_t>(wrote);
  }
}

static std::string readAll(int fd) {
  std::string text;
  char piece[1 << 16];
  while (true) {
    ssize_t got = ::read(fd, piece, sizeof piece);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return text;
    text.append(piece, static_cast<size_t>(got));
  }
}

static absl::Status responseError(const json &response, int code) {
  std::string message = response.value("error", "the compiler failed without a diagnosis");
  if (code == static_cast<int>(ExitStatus::Input))
    return absl::InvalidArgumentError(message);
  if (code == static_cast<int>(ExitStatus::Environment))
    return qrt::environmentError(message);
  return absl::InternalError(message); // a request that the compiler does not understand
}

absl::StatusOr<json> qrt::callCompiler(const json &request) {
  std::string text = request.dump(-1, ' ', false, json::error_handler_t::replace);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return environmentError(absl::StrCat("pipe: ", std::strerror(errno)));
  std::fflush(stdout); // so that nothing is written twice
  const pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child < 0) {
    int reason = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    return environmentError(absl::StrCat("fork: ", std::strerror(reason)));
  }
  if (child == 0) {
    // Whoever kills the parent does not mean to leave a compiler running.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
      ::_exit(1);
    // A handler of the host's would not end this process.
    ::signal(SIGINT, SIG_DFL);
    ::close(ends[0]);
    int code = 0;
    writeAll(ends[1], compileInChild(text, code));
    ::_exit(code);
  }
  ::close(ends[1]);
  json response = json::parse(readAll(ends[0]), nullptr, /*allow_exceptions=*/false);
  ::close(ends[0]);
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(state))
    return absl::InternalError(absl::StrCat(request.value("input", ""), ": the compiler crashed (",
                                            ::strsignal(WTERMSIG(state)), ")"));
  int code = WEXITSTATUS(state);
  if (!response.is_object())
    return absl::InternalError("the compiler's answer is no JSON object");
  if (code != 0)
    return responseError(response, code);
  return response;
}
