//===- Package.h - a compiled model on disk -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   PACKAGE/manifest.json           see Manifest.h
//   PACKAGE/program.mlirbc          the program, target independent
//   PACKAGE/weights.safetensors     canonical weights (see WeightSource.h), unless the
//                                   manifest names a GGUF file instead
//   PACKAGE/tokenizer.json          if the program is a model of text
//   PACKAGE/lib/TARGET/KEY.so       code that some compiler made of the program
//
// A package comes from anywhere and is taken for hostile: what it says is checked, and
// its code is not run unless the user says so or made it himself (findCode). Its program
// is compiled and run, as source code is: it can call nothing outside itself, but its
// indices are not checked when it runs.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_PACKAGE_H
#define QUENCH_RT_PROGRAM_PACKAGE_H

#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Program/Manifest.h"
#include "quench-rt/Program/WeightSource.h"

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace qrt {

class Package {
public:
  /// Reads and checks the manifest, nothing else.
  static absl::StatusOr<Package> open(const std::string &path);

  /// Whether there is a folder with a manifest.
  static bool looksLikeOne(const std::string &path);

  const std::string &path() const { return folder; }
  const Manifest &manifest() const { return contents; }

  /// The program's bytes, held against size and hash in the manifest.
  absl::StatusOr<std::string> program() const { return readChecked(kProgramFile); }

  bool hasTokenizer() const { return contents.files.count(kTokenizerFile) != 0; }
  absl::StatusOr<std::string> tokenizer() const { return readChecked(kTokenizerFile); }

  /// The weights' content hash, as the manifest has it; empty if there are none.
  std::string weightsHash() const;
  /// The file with the weights; empty if there are none.
  std::string weightsPath() const;
  /// Opens the weights. Their content hash is for the reader to check, once (see
  /// WeightStore.h), since that takes as long as reading all of them.
  absl::StatusOr<std::unique_ptr<WeightSource>> openWeights() const;

  /// Where code for a target with a key is or would be. InvalidArgument if the names
  /// could lead elsewhere.
  absl::StatusOr<std::string> libraryPath(absl::string_view target, absl::string_view key) const;

private:
  Package(std::string folder, Manifest contents)
      : folder(std::move(folder)), contents(std::move(contents)) {}
  absl::StatusOr<std::string> readChecked(const char *name) const;

  std::string folder;
  Manifest contents;
};

struct PackageLibrary {
  std::string target; ///< letters, digits, '.', '_', '-' and '+'
  std::string key;    ///< a content hash
  std::vector<uint8_t> code;
};

struct NewPackage {
  /// `files` is filled in by writePackage; `weights` has to say what `writeWeights`
  /// does.
  Manifest manifest;
  std::string program;
  std::string tokenizer; ///< JSON; empty: none
  /// Writes the safetensors file to the given path; null unless the manifest says that
  /// the weights are in the package.
  std::function<absl::Status(const std::string &path)> writeWeights;
  std::vector<PackageLibrary> libraries;
};

enum class ExistingPackage : uint8_t { Keep, Replace };

/// Writes a package under a temporary name beside `path`, then renames. What is at `path`
/// already, even if it came there in the meantime, is an error (AlreadyExists), except a
/// package that is to be replaced. Nothing stays behind after an error.
absl::Status writePackage(const std::string &path, NewPackage package,
                          ExistingPackage existing = ExistingPackage::Keep);

/// Adds code to a package that exists.
absl::Status addLibrary(const Package &package, const PackageLibrary &library);

/// Copies weights of a source into a safetensors file.
absl::Status copyWeights(const WeightSource &source, absl::Span<const std::string> keys,
                         const std::string &path);

/// Looks for code that may be run: first in the cache, then in the package. Code of a
/// package must be this user's own product according to the cache, unless `trustCode`
/// is given; code that is passed over for this reason is reported through the cache's
/// note. None if there is nothing to run: then the program has to be compiled.
/// `cache` and `package` may be null.
absl::optional<std::vector<uint8_t>> findCode(ArtifactCache *cache, const Package *package,
                                              absl::string_view target, absl::string_view key,
                                              bool trustCode);

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_PACKAGE_H
