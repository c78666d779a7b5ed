//===- ModelFiles.cpp - the program that a model is run from, and its weights -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ModelFiles.h"

#include "quench-rt/Model/CodeFinder.h"
#include "quench-rt/Model/CompilerLibrary.h"
#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Support/Errors.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

#include "nlohmann/json.hpp"

using namespace qrt;

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
    if (package.ok() && package->manifest().weights.kind == WeightsRecord::File &&
        package->weightsHash() == sourceHash && package->manifest().activations == activations &&
        checkFiles(*package).ok())
      return *std::move(package);
  }
  return absl::nullopt;
}

/// Has the package of `request` made: in the cache, or for this run if it cannot be kept.
static absl::StatusOr<Package> makePackage(ArtifactCache &cache, nlohmann::json request,
                                           const std::string &key, const ModelOptions &options,
                                           Timings &timings) {
  QRT_ASSIGN_OR_RETURN(std::string spare, cache.scratchFolder());
  absl::StrAppend(&spare, "/", key);
  const std::string path = cache.keeps() ? cache.packagePath(key) : spare;
  request["package"] = path;
  request["package_else"] = path == spare ? "" : spare;
  request["replace"] = true;
  request["copy_weights"] = false;
  options.target.addTo(request);
  QRT_RETURN_IF_ERROR(
      compileIntoCache(cache, std::move(request), "", options.listener, timings).status());
  return Package::open(Package::looksLikeOne(spare) ? spare : path);
}

/// The package that the cache keeps under a key, if it is in order.
static absl::optional<Package> findKept(const ArtifactCache &cache, const std::string &key) {
  absl::optional<std::string> path = cache.findPackage(key);
  if (!path || !Package::looksLikeOne(*path))
    return absl::nullopt;
  absl::StatusOr<Package> package = Package::open(*path);
  absl::Status status = package.ok() ? checkFiles(*package) : package.status();
  if (status.ok())
    return *std::move(package);
  cache.note(absl::StrCat(status.message(), "; made again"));
  return absl::nullopt;
}

/// The package that the cache keeps for a GGUF file. It has program and tokenizer; the
/// weights stay where they are.
static absl::StatusOr<Package> packageOfGguf(ArtifactCache &cache, const ModelOptions &options,
                                             Timings &timings) {
  QRT_ASSIGN_OR_RETURN(std::string hash, cache.sourceHash(options.model));
  std::string activations = options.activations.empty() ? "i8" : options.activations;
  std::string compiler = compilerIdentity();
  std::string key =
      contentHash(absl::StrCat("quench package 1\n", hash, "\n", activations, "\n", compiler));
  if (absl::optional<Package> package = findKept(cache, key))
    return *std::move(package);
  if (compiler.empty())
    if (absl::optional<Package> package = findKeptPackage(cache, hash, activations))
      return *std::move(package);
  nlohmann::json request = {
      {"input", options.model}, {"weights_hash", hash}, {"activations", activations}};
  return makePackage(cache, std::move(request), key, options, timings);
}

/// What a model is run from: its own package, or the one that the cache keeps for it.
static absl::StatusOr<Package> packageOf(const std::string &model, ArtifactCache &cache,
                                         const ModelOptions &options, Timings &timings) {
  QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(model));
  if (kind == ModelKind::Package)
    return Package::open(model);
  ModelOptions own = options;
  own.model = model;
  return packageOfGguf(cache, own, timings);
}

/// Where the weights are now. The same content may have been elsewhere when the package
/// was made.
static std::string weightsFile(const std::string &model, const Package &package) {
  absl::StatusOr<ModelKind> kind = classifyModel(model);
  return kind.ok() && *kind == ModelKind::Gguf ? model : package.weightsPath();
}

/// The package that the cache keeps for a model and its draft.
static absl::StatusOr<Package> joinedPackage(ArtifactCache &cache, const ModelOptions &options,
                                             const Package &target, const Package &draft,
                                             Timings &timings) {
  std::string text = absl::StrCat("quench joined package 1\n", compilerIdentity(), "\n");
  for (const Package *package : {&target, &draft})
    absl::StrAppend(&text, package->manifest().files.at(kProgramFile).hash, " ",
                    package->weightsHash(), "\n");
  std::string key = contentHash(text);
  if (absl::optional<Package> package = findKept(cache, key))
    return *std::move(package);
  nlohmann::json request = {{"input", target.path() + "/" + kProgramFile},
                            {"from", target.path()},
                            {"weights", weightsFile(options.model, target)},
                            {"draft", draft.path()},
                            {"draft_name", options.draft},
                            {"draft_weights", weightsFile(options.draft, draft)}};
  return makePackage(cache, std::move(request), key, options, timings);
}

/// That options and kinds of models go together.
static absl::Status checkKinds(const ModelOptions &options) {
  bool gguf = false;
  for (const std::string &model : {options.model, options.draft}) {
    if (model.empty())
      continue;
    QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(model));
    gguf |= kind == ModelKind::Gguf;
  }
  if (gguf || options.activations.empty())
    return absl::OkStatus();
  return usageError("--activations is for GGUF files; a package's program says itself which it "
                    "has");
}

absl::StatusOr<ModelFiles> qrt::findModelFiles(ArtifactCache &cache, const ModelOptions &given,
                                               Timings &timings) {
  QRT_RETURN_IF_ERROR(checkKinds(given));
  ModelOptions options = given;
  options.target.trace = false; // only code is of a traced program, never a package
  QRT_ASSIGN_OR_RETURN(Package package, packageOf(options.model, cache, options, timings));
  std::string weights = weightsFile(options.model, package);
  if (options.draft.empty()) {
    // A joined package of the cache may be run like any other.
    std::string other = package.manifest().draftWeights.path;
    return ModelFiles{std::move(package), std::move(weights), std::move(other)};
  }
  QRT_ASSIGN_OR_RETURN(Package draft, packageOf(options.draft, cache, options, timings));
  std::string draftWeights = weightsFile(options.draft, draft);
  QRT_ASSIGN_OR_RETURN(Package joined, joinedPackage(cache, options, package, draft, timings));
  return ModelFiles{std::move(joined), std::move(weights), std::move(draftWeights)};
}
