//===- Package.cpp - reading a compiled model -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Package.h"

#include "Names.h"

#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/MappedFile.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>

using namespace qrt;

absl::StatusOr<Package> Package::open(const std::string &path) {
  const std::string file = path + "/" + kManifestFile;
  absl::StatusOr<MappedFile> mapped = MappedFile::open(file);
  if (absl::IsNotFound(mapped.status()))
    return absl::NotFoundError(absl::StrCat(path, ": not a package: it has no ", kManifestFile));
  QRT_RETURN_IF_ERROR(mapped.status());
  QRT_ASSIGN_OR_RETURN(
      Manifest manifest,
      parseManifest(
          absl::string_view(reinterpret_cast<const char *>(mapped->data()), mapped->size()), file));
  return Package(path, std::move(manifest));
}

bool Package::looksLikeOne(const std::string &path) {
  struct stat info;
  return stat((path + "/" + kManifestFile).c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

absl::StatusOr<std::string> Package::readChecked(const char *name) const {
  auto record = contents.files.find(name);
  if (record == contents.files.end())
    return absl::NotFoundError(absl::StrCat(folder, ": the package has no ", name));
  QRT_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(folder + "/" + name));
  if (file.size() != record->second.bytes)
    return absl::DataLossError(absl::StrCat(file.path(), ": has ", file.size(),
                                            " bytes, but the manifest says ",
                                            record->second.bytes));
  std::string text(reinterpret_cast<const char *>(file.data()), file.size());
  if (std::string hash = contentHash(text); hash != record->second.hash)
    return absl::DataLossError(absl::StrCat(file.path(), ": damaged: content hash ", hash,
                                            ", but the manifest says ", record->second.hash));
  return text;
}

std::string Package::weightsHash() const {
  switch (contents.weights.kind) {
  case WeightsRecord::None:
    return "";
  case WeightsRecord::InPackage:
    return contents.files.at(kWeightsFile).hash;
  case WeightsRecord::File:
    break;
  }
  const std::string &own = contents.weights.file.hash;
  return contents.draftWeights.kind == WeightsRecord::None
             ? own
             : joinedWeightsHash(own, contents.draftWeights.file.hash);
}

std::string Package::weightsPath() const {
  switch (contents.weights.kind) {
  case WeightsRecord::None:
    return "";
  case WeightsRecord::InPackage:
    return folder + "/" + kWeightsFile;
  case WeightsRecord::File:
    return contents.weights.path;
  }
  return "";
}

absl::StatusOr<std::unique_ptr<WeightSource>> Package::openWeights() const {
  if (contents.weights.kind == WeightsRecord::None)
    return absl::NotFoundError(absl::StrCat(folder, ": the package has no weights"));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<WeightSource> own, qrt::openWeights(weightsPath()));
  if (contents.draftWeights.kind == WeightsRecord::None)
    return own;
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<WeightSource> draft,
                       qrt::openWeights(contents.draftWeights.path));
  return joinWeights(std::move(own), std::move(draft));
}

absl::StatusOr<std::string> Package::libraryPath(absl::string_view target,
                                                 absl::string_view key) const {
  bool plain = !target.empty() && target.size() <= 128 && target[0] != '.' &&
               std::all_of(target.begin(), target.end(), [](unsigned char c) {
                 return std::isalnum(c) || c == '.' || c == '_' || c == '-' || c == '+';
               });
  if (!plain)
    return absl::InvalidArgumentError(
        absl::StrCat("target '", target, "': expected letters, digits, '.', '_', '-' and '+'"));
  if (!isContentHash({key.data(), key.size()}))
    return absl::InvalidArgumentError(
        absl::StrCat("code key '", key, "': expected 32 hexadecimal digits"));
  return absl::StrCat(folder, "/lib/", target, "/", key, ".so");
}

absl::optional<std::vector<uint8_t>> qrt::findCode(ArtifactCache *cache, const Package *package,
                                                   absl::string_view target, absl::string_view key,
                                                   bool trustCode) {
  if (cache)
    if (absl::optional<std::vector<uint8_t>> code = cache->read(ArtifactKind::Code, key))
      return code;
  if (!package)
    return absl::nullopt;
  absl::StatusOr<std::string> path = package->libraryPath(target, key);
  if (!path.ok())
    return absl::nullopt;
  absl::StatusOr<MappedFile> file = MappedFile::open(*path);
  if (!file.ok())
    return absl::nullopt;
  // What is checked is this copy, and this copy is what will be loaded.
  std::vector<uint8_t> code(file->data(), file->data() + file->size());
  if (trustCode || (cache && cache->isOwnProduct(secureHash(code.data(), code.size()))))
    return code;
  if (cache)
    cache->note(absl::StrCat(*path, ": code that was not made here is not run"));
  return absl::nullopt;
}
