//===- HostReport.cpp - what a bug report needs to know of a machine ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "HostReport.h"

#include "ModelFlags.h"

#include "quench-rt/Device/CpuFeatures.h"
#include "quench-rt/Device/HostMemory.h"
#include "quench-rt/Device/ThreadTeam.h"
#include "quench-rt/Model/CompilerLibrary.h"
#include "quench-rt/Model/UserCache.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/utsname.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

using namespace qrt;
using namespace qrt::cli;

/// What a line of a file has behind `start`; empty if there is none.
static std::string lineAfter(const char *path, absl::string_view start) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line))
    if (absl::StartsWith(line, start))
      return line.substr(start.size());
  return "";
}

/// "always [madvise] never": the word in brackets.
static std::string hugePages() {
  const std::string line = lineAfter("/sys/kernel/mm/transparent_hugepage/enabled", "");
  const size_t begin = line.find('['), end = line.find(']');
  if (begin == std::string::npos || end == std::string::npos)
    return "not supported";
  return line.substr(begin + 1, end - begin - 1);
}

Json cli::hostReport() {
  Json processor = {{"name", cpuModelName()},
                    {"architecture", std::string(hostArchitecture())},
                    {"extensions", cpuFeatures()},
                    {"cores", numUsableCores()}};
  if (double load = 0; ::getloadavg(&load, 1) == 1)
    processor["load"] = load;
  Json memory = Json::object();
  if (absl::optional<HostMemory> found = readHostMemory())
    memory = {{"total", found->total}, {"available", found->available}};
  memory["huge_pages"] = hugePages();
  Json system = Json::object();
  if (utsname names; ::uname(&names) == 0)
    system["kernel"] = absl::StrCat(names.sysname, " ", names.release);
  std::string distribution = lineAfter("/etc/os-release", "PRETTY_NAME=");
  distribution.erase(std::remove(distribution.begin(), distribution.end(), '"'),
                     distribution.end());
  if (!distribution.empty())
    system["distribution"] = distribution;
#ifdef __GLIBC__
  system["libc"] = absl::StrCat("glibc ", ::gnu_get_libc_version());
#endif
  return {{"processor", processor}, {"memory", memory}, {"system", system}};
}

Json cli::installationReport() {
  std::error_code error;
  Json report = {{"version", QUENCH_VERSION},
                 {"program", std::filesystem::read_symlink("/proc/self/exe", error).string()}};
  absl::StatusOr<std::string> path = compilerPath();
  if (!path.ok())
    report["compiler"] = {{"error", std::string(path.status().message())}};
  else if (std::string identity = compilerIdentity(); identity.empty())
    report["compiler"] = {{"path", *path}, {"error", "no such file, or not a library"}};
  else
    report["compiler"] = {{"path", *path}, {"build_id", identity}};
  return report;
}

static absl::StatusOr<Json> describeCache() {
  QRT_ASSIGN_OR_RETURN(uint64_t limit, cacheLimit());
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache, openUserCache(commandLineListener()));
  QRT_ASSIGN_OR_RETURN(std::vector<ArtifactCache::Item> items, cache->list());
  uint64_t bytes = 0;
  for (const ArtifactCache::Item &item : items)
    bytes += item.bytes;
  Json report = {
      {"folder", cache->folder()}, {"entries", items.size()}, {"bytes", bytes}, {"limit", limit}};
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(cache->folder(), error);
  if (!error)
    report["free"] = space.available;
  return report;
}

Json cli::cacheReport() {
  absl::StatusOr<Json> report = describeCache();
  return report.ok() ? *report : Json({{"error", std::string(report.status().message())}});
}
