//===- LoadedModel.cpp - from the argument MODEL to a session -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LoadedModel.h"

#include "CompilerLibrary.h"
#include "Errors.h"
#include "ModelPath.h"
#include "UserCache.h"

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Program/CompiledLibrary.h"
#include "quench-rt/Program/WeightStore.h"
#include "quench-rt/Support/CacheFolder.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"

#include <algorithm>
#include <optional>

using namespace qrt;
using namespace qrt::cli;

void ModelOptions::addTo(Command &command) {
  command.argument("model", "MODEL", model,
                   "Package, or GGUF file (compiled into the cache on first use)");
  command.integer("--threads", "N", threads, 1, 1024, "Threads (default: one for each core)");
  command.choice("--activations", "TYPE", activations, {"i8", "f32"},
                 "For a GGUF file: i8 (8-bit integers in blocks of 32; the default) or f32");
  target.addTo(command);
  command.flag("--trust-code", trustCode,
               "Runs code that came with the package, though it was not made here");
}

absl::StatusOr<std::unique_ptr<Session>> LoadedModel::newSession(int64_t length,
                                                                 absl::string_view option) const {
  if (length > context)
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": found ", length, ", but the model's context is ", context));
  SessionOptions options;
  options.contextLength = length > 0 ? length : context;
  return Session::create(*executable, options);
}

absl::StatusOr<int64_t> cli::contextOf(const std::string &model) {
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

/// That the files are what the manifest says.
static absl::Status checkFiles(const Package &package) {
  QRT_RETURN_IF_ERROR(package.program().status());
  return package.hasTokenizer() ? package.tokenizer().status() : absl::OkStatus();
}

/// Without a compiler any package of the same contents serves, whichever compiler it is
/// from: the one used last.
static absl::optional<Package> findKeptPackage(const ArtifactCache &cache,
                                               absl::string_view sourceHash,
                                               absl::string_view activations) {
  absl::StatusOr<std::vector<ArtifactCache::Item>> items = cache.list();
  if (!items.ok())
    return absl::nullopt;
  for (const ArtifactCache::Item &item : *items) {
    if (!absl::StartsWith(item.name, "packages/"))
      continue;
    absl::StatusOr<Package> package = Package::open(absl::StrCat(cache.folder(), "/", item.name));
    if (package.ok() && package->manifest().weights.kind == WeightsRecord::Gguf &&
        package->weightsHash() == sourceHash && package->manifest().activations == activations &&
        checkFiles(*package).ok())
      return *std::move(package);
  }
  return absl::nullopt;
}

/// The package that the cache keeps for a GGUF file. It has program and tokenizer; the
/// weights stay where they are.
static absl::StatusOr<Package> packageOfGguf(ArtifactCache &cache, const ModelOptions &options,
                                             Timings &timings) {
  QRT_ASSIGN_OR_RETURN(std::string hash, cache.sourceHash(options.model));
  std::string activations = options.activations.empty() ? "i8" : options.activations;
  std::string compiler = compilerIdentity();
  std::string path = cache.packagePath(
      contentHash(absl::StrCat("quench package 1\n", hash, "\n", activations, "\n", compiler)));
  if (cache.findPackage(path.substr(path.rfind('/') + 1)) && Package::looksLikeOne(path)) {
    absl::StatusOr<Package> package = Package::open(path);
    absl::Status status = package.ok() ? checkFiles(*package) : package.status();
    if (status.ok())
      return package;
    cache.note(absl::StrCat(std::string(status.message()), "; made again"));
  }
  if (compiler.empty())
    if (absl::optional<Package> package = findKeptPackage(cache, hash, activations))
      return *std::move(package);
  nlohmann::json request = {{"input", options.model}, {"package", path},
                            {"replace", true},        {"copy_weights", false},
                            {"weights_hash", hash},   {"activations", activations}};
  options.target.addTo(request);
  QRT_RETURN_IF_ERROR(createFolders(path.substr(0, path.rfind('/'))));
  QRT_RETURN_IF_ERROR(compileIntoCache(cache, std::move(request), "", timings).status());
  return Package::open(path);
}

static absl::StatusOr<std::unique_ptr<WeightStore>>
loadWeights(Device &device, ArtifactCache &cache, const ModelOptions &options, ModelKind kind,
            const Package &package, const LibraryDescriptor &library) {
  WeightStoreOptions storeOptions;
  storeOptions.cache = &cache;
  storeOptions.sourceHash = package.weightsHash();
  storeOptions.threads = device.numThreads();
  std::optional<Progress> progress;
  auto open = [&]() -> absl::StatusOr<std::unique_ptr<WeightSource>> {
    progress.emplace("Packing weights");
    // The same content may have been elsewhere when the package was made.
    return kind == ModelKind::Gguf ? openGgufWeights(options.model) : package.openWeights();
  };
  return WeightStore::load(device, library, open, storeOptions);
}

absl::StatusOr<LoadedModel> cli::loadModel(const ModelOptions &options) {
  QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(options.model));
  if (kind == ModelKind::Package && !options.activations.empty())
    return usageError(
        "--activations is for GGUF files; a package's program says itself which it has");
  LoadedModel model;
  Stopwatch find;
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache, openUserCache());
  QRT_ASSIGN_OR_RETURN(Package package, kind == ModelKind::Gguf
                                            ? packageOfGguf(*cache, options, model.timings)
                                            : Package::open(options.model));
  QRT_ASSIGN_OR_RETURN(
      std::vector<uint8_t> code,
      findPackageCode(*cache, package, options.target, options.trustCode, model.timings));
  model.context = package.manifest().contextLength;
  double compiling = 0;
  for (const auto &[name, milliseconds] : model.timings.stages)
    compiling += milliseconds;
  model.timings.stages.emplace_back("find code", find.milliseconds() - compiling);

  // Threads come only now: the compiler runs in a forked process.
  Stopwatch load;
  ThreadTeamOptions team;
  team.numThreads = static_cast<int>(options.threads);
  QRT_ASSIGN_OR_RETURN(model.device, createCpuDevice(team));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CompiledLibrary> library,
                       CompiledLibrary::load(*model.device, code, options.model));
  model.timings.stages.emplace_back("load code", load.milliseconds());
  Stopwatch packing;
  QRT_ASSIGN_OR_RETURN(
      std::unique_ptr<WeightStore> weights,
      loadWeights(*model.device, *cache, options, kind, package, library->descriptor()));
  model.timings.stages.emplace_back(weights->fromCache() ? "read weights" : "pack weights",
                                    packing.milliseconds());
  QRT_ASSIGN_OR_RETURN(model.executable,
                       Executable::create(*model.device, std::move(library), std::move(weights)));
  return model;
}

absl::StatusOr<LibraryDescriptor> cli::describeCode(const ModelOptions &options) {
  QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(options.model));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache, openUserCache());
  Timings timings;
  QRT_ASSIGN_OR_RETURN(Package package, kind == ModelKind::Gguf
                                            ? packageOfGguf(*cache, options, timings)
                                            : Package::open(options.model));
  QRT_ASSIGN_OR_RETURN(std::vector<uint8_t> code, findPackageCode(*cache, package, options.target,
                                                                  options.trustCode, timings));
  ThreadTeamOptions team;
  team.numThreads = 1;
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, createCpuDevice(team));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CompiledLibrary> library,
                       CompiledLibrary::load(*device, code, options.model));
  return library->descriptor();
}

std::string cli::shortTarget(const std::string &target) {
  std::vector<std::string> parts = absl::StrSplit(target, '/');
  parts.erase(std::remove_if(parts.begin(), parts.end(),
                             [](const std::string &part) {
                               return part.empty() || part[0] == '+' || part[0] == '-';
                             }),
              parts.end());
  return absl::StrJoin(parts, "/");
}
