//===- LoadedModel.cpp - from the argument MODEL to a session -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/LoadedModel.h"

#include "MemoryLimits.h"
#include "ModelFiles.h"

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Device/HostMemory.h"
#include "quench-rt/Model/CodeFinder.h"
#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Model/UserCache.h"
#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Program/CompiledLibrary.h"
#include "quench-rt/Program/MemoryPlan.h"
#include "quench-rt/Program/WeightStore.h"
#include "quench-rt/Support/CacheFolder.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Stopwatch.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"

#include <algorithm>
#include <optional>

using namespace qrt;

absl::StatusOr<std::unique_ptr<Session>> LoadedModel::newSession(int64_t length,
                                                                 absl::string_view option) const {
  if (length > context)
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": found ", length, ", but the model's context is ", context));
  SessionOptions options;
  options.contextLength = length > 0 ? length : context;
  if (absl::optional<HostMemory> memory = readHostMemory()) {
    const MemoryPlan plan = planMemory(executable->descriptor(), device->numThreads());
    QRT_ASSIGN_OR_RETURN(options.contextLength,
                         fitContext(plan, memory->available, length, option, context, listener));
  }
  return Session::create(*executable, options);
}

absl::StatusOr<int64_t> qrt::contextOf(const std::string &model) {
  QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(model));
  if (kind == ModelKind::Package) {
    QRT_ASSIGN_OR_RETURN(Package package, Package::open(model));
    if (package.manifest().contextLength <= 0)
      return absl::InvalidArgumentError(absl::StrCat(model, ": manifest.json: 'context_length' is ",
                                                     package.manifest().contextLength,
                                                     ", expected a language model's package"));
    return package.manifest().contextLength;
  }
  QRT_ASSIGN_OR_RETURN(GgufFile file, GgufFile::open(model));
  QRT_ASSIGN_OR_RETURN(std::string_view architecture, file.getString("general.architecture"));
  std::string key = absl::StrCat(toAbsl(architecture), ".context_length");
  QRT_ASSIGN_OR_RETURN(int64_t context, file.getInt(key));
  if (context < 1)
    return absl::InvalidArgumentError(absl::StrCat(model, ": metadata ", qrt::quoted(key),
                                                   ": found ", context, ", expected at least 1"));
  return context;
}

static absl::StatusOr<std::unique_ptr<WeightStore>>
loadWeights(Device &device, ArtifactCache &cache, const ModelFiles &files,
            const LibraryDescriptor &library, const Listener &listener) {
  WeightStoreOptions storeOptions;
  storeOptions.cache = &cache;
  storeOptions.sourceHash = files.package.weightsHash();
  storeOptions.threads = device.numThreads();
  if (absl::optional<HostMemory> memory = readHostMemory())
    storeOptions.map =
        mustMapWeights(planMemory(library, device.numThreads()), memory->available, listener);
  std::optional<Busy> busy;
  auto open = [&]() -> absl::StatusOr<std::unique_ptr<WeightSource>> {
    busy.emplace(listener, "Packing weights");
    if (files.weights.empty())
      return files.package.openWeights();
    QRT_ASSIGN_OR_RETURN(std::unique_ptr<WeightSource> own, openWeights(files.weights));
    if (files.draftWeights.empty())
      return own;
    QRT_ASSIGN_OR_RETURN(std::unique_ptr<WeightSource> draft, openWeights(files.draftWeights));
    return joinWeights(std::move(own), std::move(draft));
  };
  return WeightStore::load(device, library, open, storeOptions);
}

absl::StatusOr<LoadedModel> qrt::loadModel(const ModelOptions &options) {
  LoadedModel model;
  model.listener = options.listener;
  Stopwatch find;
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache,
                       openUserCacheIfPossible(options.listener));
  QRT_ASSIGN_OR_RETURN(ModelFiles files, findModelFiles(*cache, options, model.timings));
  QRT_ASSIGN_OR_RETURN(std::vector<uint8_t> code,
                       findPackageCode(*cache, files.package, options.target, options.trustCode,
                                       options.listener, model.timings));
  model.context = files.package.manifest().contextLength;
  double compiling = 0;
  for (const auto &[name, milliseconds] : model.timings.stages)
    compiling += milliseconds;
  model.timings.stages.emplace_back("find code", find.milliseconds() - compiling);

  // Threads come only now: the compiler runs in a forked process.
  Stopwatch load;
  ThreadTeamOptions team;
  team.numThreads = static_cast<int>(options.threads);
  QRT_ASSIGN_OR_RETURN(model.device, createCpuDevice(team, options.keepCode));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CompiledLibrary> library,
                       CompiledLibrary::load(*model.device, code, options.model));
  model.timings.stages.emplace_back("load code", load.milliseconds());
  Stopwatch packing;
  QRT_ASSIGN_OR_RETURN(
      std::unique_ptr<WeightStore> weights,
      loadWeights(*model.device, *cache, files, library->descriptor(), options.listener));
  model.timings.stages.emplace_back(weights->fromCache() ? "read weights" : "pack weights",
                                    packing.milliseconds());
  QRT_ASSIGN_OR_RETURN(model.executable,
                       Executable::create(*model.device, std::move(library), std::move(weights)));
  return model;
}

absl::StatusOr<LibraryDescriptor> qrt::describeCode(const ModelOptions &options) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache,
                       openUserCacheIfPossible(options.listener));
  Timings timings;
  QRT_ASSIGN_OR_RETURN(ModelFiles files, findModelFiles(*cache, options, timings));
  QRT_ASSIGN_OR_RETURN(std::vector<uint8_t> code,
                       findPackageCode(*cache, files.package, options.target, options.trustCode,
                                       options.listener, timings));
  ThreadTeamOptions team;
  team.numThreads = 1;
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, createCpuDevice(team));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CompiledLibrary> library,
                       CompiledLibrary::load(*device, code, options.model));
  return library->descriptor();
}

std::string qrt::shortTarget(const std::string &target) {
  std::vector<std::string> parts = absl::StrSplit(target, '/');
  parts.erase(std::remove_if(parts.begin(), parts.end(),
                             [](const std::string &part) {
                               return part.empty() || part[0] == '+' || part[0] == '-';
                             }),
              parts.end());
  return absl::StrJoin(parts, "/");
}
