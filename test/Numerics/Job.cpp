//===- Job.cpp - calls of a compiled library, as data ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Job.h"

#include "quench-rt/Formats/Packing.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace quench::numerics;

[[noreturn]] static void stop(const std::string &message) {
  std::fprintf(stderr, "job: %s\n", message.c_str());
  std::exit(1);
}

//===----------------------------------------------------------------------===//
// Descriptor
//===----------------------------------------------------------------------===//

int64_t LibraryShape::find(const std::string &name) const {
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name)
      return int64_t(i);
  return -1;
}

static LibraryShape::Arg readArg(const nlohmann::json &json, const nlohmann::json &caches) {
  LibraryShape::Arg arg;
  const std::string kind = json["kind"];
  arg.kind = kind == "cache"    ? LibraryShape::Arg::Cache
             : kind == "scalar" ? LibraryShape::Arg::Scalar
                                : LibraryShape::Arg::Tensor;
  if (arg.kind == LibraryShape::Arg::Cache) {
    arg.pageBytes = caches[json["cache"].get<size_t>()]["page_bytes"];
    return arg;
  }
  const std::string element = json["element"];
  // f32, i8, …: the digits are the bits.
  arg.elementBytes = std::atoi(element.c_str() + element.find_first_of("0123456789")) / 8;
  arg.dims = json["dims"].get<std::vector<int64_t>>();
  return arg;
}

LibraryShape quench::numerics::readDescriptor(const std::string &text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json["abi_version"] != QRT_ABI_VERSION)
    stop("no descriptor of this ABI: " + text.substr(0, 200));
  LibraryShape library;
  library.maxRows = json["max_rows"];
  library.workspaceBytes = json["workspace_bytes"];
  library.threadWorkspaceBytes = json["thread_workspace_bytes"];
  for (const auto &weight : json["weights"]) {
    LibraryShape::WeightUse use;
    use.key = weight["key"];
    use.layout = weight["layout"];
    use.bytes = weight["bytes"];
    library.weights.push_back(use);
  }
  for (const auto &entry : json["entries"]) {
    LibraryShape::Entry found;
    found.name = entry["name"];
    for (const auto &arg : entry["args"])
      found.args.push_back(readArg(arg, json["caches"]));
    for (const auto &result : entry["results"])
      found.results.push_back(readArg(result, json["caches"]));
    library.entries.push_back(found);
  }
  return library;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

std::vector<Bytes> quench::numerics::packWeights(const LibraryShape &library, const Job &job) {
  std::vector<Bytes> packed;
  for (const LibraryShape::WeightUse &use : library.weights) {
    Bytes bytes(use.bytes);
    auto weight = job.weights.find(use.key);
    if (weight == job.weights.end())
      stop("the job has no weight " + use.key);
    const quench::reference::Weight &w = weight->second;
    auto layout = qrt::layoutByName(use.layout);
    if (!layout || !qrt::pack(w.format, *layout, w.bytes.data(), w.rows, w.columns, bytes.data()))
      stop("cannot pack weight " + use.key + " as " + use.layout);
    packed.push_back(std::move(bytes));
  }
  return packed;
}

namespace {
/// Zeroed memory at an address that the ABI promises to compiled code.
class Memory {
public:
  explicit Memory(size_t size)
      : bytes(static_cast<uint8_t *>(std::aligned_alloc(64, (size + 127) / 64 * 64))) {
    std::memset(bytes.get(), 0, size);
  }
  uint8_t *data() const { return bytes.get(); }

private:
  struct Free {
    void operator()(uint8_t *p) const { std::free(p); }
  };
  std::unique_ptr<uint8_t, Free> bytes;
};

/// Pages come into being with the first entry that the cache goes to.
struct Cache {
  int64_t pageBytes = 0;
  std::vector<Memory> pages;
  std::vector<void *> addresses;
  qrt_cache_view view = {nullptr, 0, 0};

  void create(const CacheState &state, int64_t bytes) {
    pageBytes = bytes;
    for (int64_t i = 0; i < state.pages; ++i) {
      pages.emplace_back(bytes);
      std::memset(pages.back().data(), state.fill, bytes);
      addresses.push_back(pages.back().data());
    }
    view.pages = addresses.data();
  }
};
} // namespace

Outcome quench::numerics::runJob(const LibraryShape &library, const Job &job, const RunEntry &run) {
  std::vector<Cache> caches(job.caches.size());
  Outcome outcome;
  for (const Call &call : job.calls) {
    int64_t index = library.find(call.entry);
    if (index < 0)
      stop("the library has no entry " + call.entry);
    const LibraryShape::Entry &entry = library.entries[index];
    if (entry.args.size() != call.arguments.size())
      stop("wrong number of arguments for " + call.entry);
    std::vector<Memory> memory;
    std::vector<qrt_tensor> args;
    for (const Argument &argument : call.arguments) {
      qrt_tensor tensor = {};
      if (argument.cache >= 0) {
        Cache &cache = caches.at(argument.cache);
        if (!cache.pageBytes)
          cache.create(job.caches[argument.cache], entry.args[args.size()].pageBytes);
        cache.view.capacity = argument.capacity;
        tensor.data = &cache.view;
      } else {
        memory.emplace_back(argument.array.bytes.size());
        tensor.data = memory.back().data();
        if (!argument.array.bytes.empty())
          std::memcpy(tensor.data, argument.array.bytes.data(), argument.array.bytes.size());
        for (size_t d = 0; d < argument.array.dims.size(); ++d)
          tensor.dims[d] = argument.array.dims[d];
      }
      args.push_back(tensor);
    }
    for (const LibraryShape::Arg &result : entry.results) {
      int64_t bytes = result.elementBytes;
      qrt_tensor tensor = {};
      for (size_t d = 0; d < result.dims.size(); ++d) {
        bytes *= result.dims[d] < 0 ? library.maxRows : result.dims[d];
        tensor.dims[d] = result.dims[d];
      }
      memory.emplace_back(bytes);
      tensor.data = memory.back().data();
      args.push_back(tensor);
    }
    run(size_t(index), args);
    std::vector<Array> results;
    for (size_t i = 0; i < entry.results.size(); ++i) {
      const LibraryShape::Arg &result = entry.results[i];
      const qrt_tensor &tensor = args[entry.args.size() + i];
      Array array;
      int64_t bytes = result.elementBytes;
      for (size_t d = 0; d < result.dims.size(); ++d) {
        array.dims.push_back(result.dims[d] < 0 ? tensor.dims[d] : result.dims[d]);
        bytes *= array.dims.back();
      }
      auto *data = static_cast<const uint8_t *>(tensor.data);
      array.bytes.assign(data, data + bytes);
      results.push_back(std::move(array));
    }
    outcome.results.push_back(std::move(results));
  }
  for (size_t i = 0; i < caches.size(); ++i) {
    outcome.lengths.push_back(caches[i].view.length);
    Bytes pages;
    for (const Memory &page : caches[i].pages)
      pages.insert(pages.end(), page.data(), page.data() + caches[i].pageBytes);
    outcome.pages.push_back(std::move(pages));
  }
  return outcome;
}
