//===- ArtifactCache.h - derived files, found again by content ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   FOLDER/code/KEY        compiled libraries
//   FOLDER/weights/KEY     packed weights
//   FOLDER/packages/KEY/   packages made from bare model files
//   FOLDER/sources/KEY     content hash of a model file, by its identity on disk
//   FOLDER/own/HASH        empty: this user's compiler made code with this secure hash
//
// A KEY is a content hash of everything the entry depends on; who makes an entry
// chooses it. An entry in code/ and weights/ is its bytes followed by a trailer of 128
// bytes with kind, key, size and checksums, so that a damaged, cut or renamed file is
// noticed. Such an entry is reported through `note` and otherwise treated as absent.
// Entries appear by rename, so readers never see half of one, and several processes
// may use one folder. What killed processes have left is removed when it is opened.
//
// A cache is no condition for anything: if it cannot be written, because the folder is
// read-only or the disk is full, that is said once and a run goes on without.
//
// The folder belongs to the user; the checksums are no defence against someone who can
// write to it.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_ARTIFACTCACHE_H
#define QUENCH_RT_PROGRAM_ARTIFACTCACHE_H

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace qrt {

enum class ArtifactKind : uint8_t { Code = 0, Weights = 1 };

/// An entry that was found and whose trailer is in order. The bytes are checked as they
/// are read.
class CacheEntry {
public:
  /// Bytes are checked in pieces of this size.
  static constexpr size_t kSegment = size_t(1) << 20;

  virtual ~CacheEntry() = default;

  virtual size_t size() const = 0;

  /// Fills `to`, of `size()` bytes, on up to `threads` threads. DataLoss if the bytes
  /// are not those that were written.
  virtual absl::Status read(uint8_t *to, int threads) const = 0;

  /// Maps the bytes read-only for the life of the entry, and checks them.
  virtual absl::StatusOr<absl::Span<const uint8_t>> map() = 0;

  virtual const std::string &path() const = 0;
};

/// Writes an entry piece by piece; it appears with `commit`.
class CacheEntryWriter {
public:
  virtual ~CacheEntryWriter() = default;
  virtual absl::Status write(const void *data, size_t size) = 0;
  virtual absl::Status commit() = 0;
};

struct ArtifactCacheOptions {
  static constexpr uint64_t kDefaultMaxBytes = uint64_t(20) * 1000 * 1000 * 1000;

  std::string folder; ///< empty: the user's cache folder (see Support/CacheFolder.h)
  /// What is over this is removed when something is written, least recently used first.
  uint64_t maxBytes = kDefaultMaxBytes;
  /// Receives one line about each entry that had to be ignored, and one if nothing can be
  /// kept. Null: nobody cares.
  std::function<void(absl::string_view line)> note;
};

class ArtifactCache {
public:
  /// Creates the folder if it is missing.
  static absl::StatusOr<std::unique_ptr<ArtifactCache>> open(ArtifactCacheOptions options);

  /// One in which nothing is found and that keeps nothing, `why` being the reason to give.
  static std::unique_ptr<ArtifactCache> none(ArtifactCacheOptions options, const absl::Status &why);

  ~ArtifactCache();

  /// Empty for none().
  const std::string &folder() const { return options.folder; }

  /// False once something could not be written: nothing more is then attempted.
  bool keeps() const { return keeping; }

  /// To be told of a failed write: notes it, and that what this run makes is not kept.
  void notKept(const absl::Status &why);

  /// Null if there is no such entry or it is not in order. Counts as a use.
  std::unique_ptr<CacheEntry> find(ArtifactKind kind, absl::string_view key);

  /// A small entry whole; none if it is absent or damaged.
  absl::optional<std::vector<uint8_t>> read(ArtifactKind kind, absl::string_view key);

  absl::StatusOr<std::unique_ptr<CacheEntryWriter>> create(ArtifactKind kind,
                                                           absl::string_view key);

  /// A small entry whole. Code is recorded as an own product.
  absl::Status write(ArtifactKind kind, absl::string_view key, absl::Span<const uint8_t> bytes);

  /// Writes code, or holds it for this object's read() if nothing is kept.
  void keepCode(absl::string_view key, absl::Span<const uint8_t> code);

  /// Whether code with this secure hash (see Support/Hash.h) was made here and may thus
  /// be loaded. Code from elsewhere could be made to share a content hash with it.
  bool isOwnProduct(absl::string_view hash) const;
  absl::Status recordOwnProduct(absl::string_view hash);

  /// Where the package with this key is or will be; the caller writes it (see
  /// Package.h).
  std::string packagePath(absl::string_view key) const;

  /// The same, if something is there. Counts as a use.
  absl::optional<std::string> findPackage(absl::string_view key) const;

  /// A folder that goes with this object, for what cannot be kept.
  absl::StatusOr<std::string> scratchFolder();

  /// Content hash of a file. It is computed once for a file of the same real path,
  /// size, time of change and inode.
  absl::StatusOr<std::string> sourceHash(const std::string &path);

  /// Tells about an entry that had to be ignored.
  void note(absl::string_view line) const;

  struct Item {
    std::string name; ///< such as "weights/0123…"
    uint64_t bytes = 0;
    int64_t lastUse = 0; ///< seconds since 1970
  };
  /// Everything that takes space, most recently used first.
  absl::StatusOr<std::vector<Item>> list() const;

  /// Removes everything, the record of own products included.
  absl::Status clear();

private:
  explicit ArtifactCache(ArtifactCacheOptions options) : options(std::move(options)) {}
  void trim();

  ArtifactCacheOptions options;
  bool keeping = true;
  std::string scratch;                                  ///< empty: not made yet
  std::map<std::string, std::vector<uint8_t>> heldCode; ///< by key
  int64_t opened = time(nullptr);                       ///< seconds since 1970
};

/// Content hash of a file's bytes, read in small pieces.
absl::StatusOr<std::string> hashFile(const std::string &path);

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_ARTIFACTCACHE_H
