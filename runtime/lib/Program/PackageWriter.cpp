//===- PackageWriter.cpp - writing a compiled model -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Package.h"

#include "Names.h"

#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/CacheFolder.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Temporaries.h"

#include "absl/strings/str_cat.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

using namespace qrt;
namespace fs = std::filesystem;

namespace {

/// A folder that is removed with all its contents unless it found its place. What killed
/// processes have left of the same target is removed first.
class TemporaryFolder {
public:
  explicit TemporaryFolder(const std::string &target) {
    removeLeftovers(target);
    // mkdtemp would make a folder that nobody but the user can read.
    for (int i = 0; !made && i < 1000; ++i) {
      path = temporaryName(target);
      made = mkdir(path.c_str(), 0777) == 0;
      error = errno;
      if (!made && error != EEXIST)
        break;
      if (made)
        made = lock();
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (made)
      fs::remove_all(path, ignored);
    if (file >= 0)
      close(file);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path;
  bool made = false;
  int error = 0;

private:
  bool lock() {
    file = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0 && lockTemporary(file, path))
      return true;
    if (file >= 0)
      close(std::exchange(file, -1));
    return false;
  }

  int file = -1;
};

absl::Status failed(const std::string &path, absl::string_view what, int error) {
  return absl::UnavailableError(absl::StrCat(path, ": ", what, ": ", std::strerror(error)));
}

std::string withoutTrailingSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

absl::Status writeRecorded(const std::string &folder, const char *name, const std::string &bytes,
                           Manifest &manifest) {
  manifest.files[name] = {bytes.size(), contentHash(bytes)};
  return writeFileAtomically(folder + "/" + name, bytes);
}

absl::Status writeLibrary(const std::string &path, const PackageLibrary &library) {
  QRT_RETURN_IF_ERROR(createFolders(path.substr(0, path.rfind('/'))));
  return writeFileAtomically(
      path,
      std::string_view(reinterpret_cast<const char *>(library.code.data()), library.code.size()));
}

absl::Status fill(const std::string &folder, NewPackage &package) {
  Manifest &manifest = package.manifest;
  manifest.files.clear();
  QRT_RETURN_IF_ERROR(writeRecorded(folder, kProgramFile, package.program, manifest));
  if (!package.tokenizer.empty())
    QRT_RETURN_IF_ERROR(writeRecorded(folder, kTokenizerFile, package.tokenizer, manifest));
  if (manifest.weights.kind == WeightsRecord::InPackage) {
    const std::string path = folder + "/" + kWeightsFile;
    if (!package.writeWeights)
      return absl::InvalidArgumentError("the manifest says that the package has weights, but "
                                        "nothing writes them");
    QRT_RETURN_IF_ERROR(package.writeWeights(path));
    std::error_code error;
    QRT_ASSIGN_OR_RETURN(std::string hash, hashFile(path));
    manifest.files[kWeightsFile] = {fs::file_size(path, error), std::move(hash)};
  }
  QRT_RETURN_IF_ERROR(writeFileAtomically(folder + "/" + kManifestFile, formatManifest(manifest)));
  // Reads back what a reader will see, so that nothing is written that cannot be read.
  QRT_ASSIGN_OR_RETURN(Package written, Package::open(folder));
  for (const PackageLibrary &library : package.libraries)
    QRT_RETURN_IF_ERROR(addLibrary(written, library));
  return absl::OkStatus();
}

} // namespace

absl::Status qrt::writePackage(const std::string &given, NewPackage package,
                               ExistingPackage existing) {
  const std::string path = withoutTrailingSlashes(given);
  struct stat info;
  const bool exists = lstat(path.c_str(), &info) == 0;
  if (exists && existing == ExistingPackage::Keep)
    return absl::AlreadyExistsError(absl::StrCat(path, ": exists, expected a new name"));
  if (exists && !Package::looksLikeOne(path))
    return absl::AlreadyExistsError(
        absl::StrCat(path, ": exists and is not a package, so it is not replaced"));
  TemporaryFolder folder(path);
  if (!folder.made)
    return failed(folder.path, "cannot make a folder", folder.error);
  QRT_RETURN_IF_ERROR(fill(folder.path, package));
  if (!exists) {
    if (rename(folder.path.c_str(), path.c_str()) == 0) {
      folder.made = false;
      return absl::OkStatus();
    }
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
      return failed(path, "cannot put the package in its place", errno);
    if (existing == ExistingPackage::Keep || !Package::looksLikeOne(path))
      return absl::AlreadyExistsError(
          absl::StrCat(path, ": has been made by someone else meanwhile"));
  }
  // The old package changes places with the new one and goes with the temporary folder.
  if (renameat2(AT_FDCWD, folder.path.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0)
    return absl::OkStatus();
  if (errno != EINVAL && errno != ENOSYS)
    return failed(path, "cannot replace the package", errno);
  // A file system that cannot exchange: for a moment there is none.
  TemporaryFolder old(path);
  const std::string aside = old.path + "/old";
  if (!old.made || rename(path.c_str(), aside.c_str()) != 0)
    return failed(path, "cannot replace the package", errno);
  if (rename(folder.path.c_str(), path.c_str()) != 0) {
    const int error = errno;
    // Better the old one than none; if even this fails it stays where it is.
    old.made = rename(aside.c_str(), path.c_str()) == 0;
    return failed(path, "cannot replace the package", error);
  }
  folder.made = false;
  return absl::OkStatus();
}

absl::Status qrt::addLibrary(const Package &package, const PackageLibrary &library) {
  QRT_ASSIGN_OR_RETURN(std::string path, package.libraryPath(library.target, library.key));
  return writeLibrary(path, library);
}

absl::Status qrt::copyWeights(const WeightSource &source, absl::Span<const std::string> keys,
                              const std::string &path) {
  SafetensorsWriter writer;
  for (const std::string &key : keys) {
    QRT_ASSIGN_OR_RETURN(CanonicalWeight weight, source.find(key));
    QRT_RETURN_IF_ERROR(writer.setMetadata(
        key, weightMetadata(weight.format, weight.rows, weight.columns, weight.vector)));
    QRT_RETURN_IF_ERROR(writer.addTensor(key, "U8", {static_cast<int64_t>(weight.bytes)},
                                         weight.data, weight.bytes));
  }
  return writer.write(path);
}
