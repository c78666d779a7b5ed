//===- Cache.cpp - quench-run cache ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "Errors.h"
#include "ModelFlags.h"
#include "Output.h"

#include "quench-rt/Model/UserCache.h"
#include "quench-rt/Support/Size.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <ctime>

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  std::string action = "list";
  bool json = false;
};
} // namespace

static std::string formatAge(int64_t seconds) {
  if (seconds < 120)
    return absl::StrCat(std::max<int64_t>(seconds, 0), " s ago");
  if (seconds < 7200)
    return absl::StrCat(seconds / 60, " min ago");
  if (seconds < 172800)
    return absl::StrCat(seconds / 3600, " h ago");
  return absl::StrCat(seconds / 86400, " days ago");
}

static absl::Status listEntries(ArtifactCache &cache, bool json) {
  QRT_ASSIGN_OR_RETURN(uint64_t limit, cacheLimit());
  QRT_ASSIGN_OR_RETURN(std::vector<ArtifactCache::Item> items, cache.list());
  uint64_t bytes = 0;
  for (const ArtifactCache::Item &item : items)
    bytes += item.bytes;
  if (json) {
    Json entries = Json::array();
    for (const ArtifactCache::Item &item : items)
      entries.push_back({{"name", item.name}, {"bytes", item.bytes}, {"last_use", item.lastUse}});
    printJson(
        {{"folder", cache.folder()}, {"bytes", bytes}, {"limit", limit}, {"entries", entries}});
    return absl::OkStatus();
  }
  int64_t now = static_cast<int64_t>(std::time(nullptr));
  std::vector<std::vector<std::string>> rows = {{"entry", "size", "last use"}};
  for (const ArtifactCache::Item &item : items)
    rows.push_back({item.name, formatBytes(item.bytes), formatAge(now - item.lastUse)});
  if (!items.empty())
    print(formatTable(rows));
  print(absl::StrFormat("%s: %d entries, %s of at most %s (QUENCH_CACHE_LIMIT)\n", cache.folder(),
                        items.size(), formatBytes(bytes), formatBytes(limit)));
  return absl::OkStatus();
}

static absl::Status manageCache(const Options &options) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache, openUserCache(commandLineListener()));
  if (options.action == "list")
    return listEntries(*cache, options.json);
  QRT_ASSIGN_OR_RETURN(std::vector<ArtifactCache::Item> items, cache->list());
  uint64_t bytes = 0;
  for (const ArtifactCache::Item &item : items)
    bytes += item.bytes;
  QRT_RETURN_IF_ERROR(cache->clear());
  if (options.json)
    printJson({{"folder", cache->folder()}, {"removed", items.size()}, {"bytes", bytes}});
  else
    print(absl::StrFormat("%s: removed %d entries, %s\n", cache->folder(), items.size(),
                          formatBytes(bytes)));
  return absl::OkStatus();
}

void cli::addCacheCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "cache", "Shows or empties the cache of compiled code and packed weights.",
      "  quench-run cache\n"
      "  quench-run cache clear\n"
      "  QUENCH_CACHE_LIMIT=5G quench-run generate model.gguf -p Hello",
      manageCache);
  command.optionalArgument("action", "ACTION", options.action, {"list", "clear"},
                           "list (the default) or clear");
  command.flag("--json", options.json,
               "Prints {folder, bytes, limit, entries: [{name, bytes, last_use}]}");
}
