//===- ArtifactCache.cpp - derived files, found again by content ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/ArtifactCache.h"

#include "CacheEntryFormat.h"
#include "Names.h"

#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/CacheFolder.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Temporaries.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

using namespace qrt;
namespace fs = std::filesystem;

static constexpr const char *kFolders[] = {"code", "weights", "packages", "sources", "own"};

static const char *folderOf(ArtifactKind kind) {
  return kind == ArtifactKind::Code ? "code" : "weights";
}

absl::StatusOr<std::unique_ptr<ArtifactCache>> ArtifactCache::open(ArtifactCacheOptions options) {
  if (options.folder.empty()) {
    QRT_ASSIGN_OR_RETURN(options.folder, cacheFolderPath());
  }
  for (const char *folder : kFolders) {
    QRT_RETURN_IF_ERROR(createFolders(options.folder + "/" + folder));
    removeAllLeftovers(options.folder + "/" + folder);
  }
  return std::unique_ptr<ArtifactCache>(new ArtifactCache(std::move(options)));
}

std::unique_ptr<ArtifactCache> ArtifactCache::none(ArtifactCacheOptions options,
                                                   const absl::Status &why) {
  options.folder.clear();
  std::unique_ptr<ArtifactCache> cache(new ArtifactCache(std::move(options)));
  cache->notKept(why);
  return cache;
}

ArtifactCache::~ArtifactCache() {
  std::error_code ignored;
  if (!scratch.empty())
    fs::remove_all(scratch, ignored);
}

void ArtifactCache::notKept(const absl::Status &why) {
  if (std::exchange(keeping, false))
    note(absl::StrCat("cache: ", why.message(),
                      "; what this run makes is not kept (QUENCH_CACHE names another folder)"));
}

absl::StatusOr<std::string> ArtifactCache::scratchFolder() {
  if (!scratch.empty())
    return scratch;
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "quench-XXXXXX").string();
  if (error || !mkdtemp(pattern.data()))
    return absl::UnavailableError(absl::StrCat(pattern, ": cannot make a temporary folder: ",
                                               error ? error.message() : std::strerror(errno)));
  return scratch = pattern;
}

void ArtifactCache::note(absl::string_view line) const {
  if (options.note)
    options.note(line);
}

std::unique_ptr<CacheEntry> ArtifactCache::find(ArtifactKind kind, absl::string_view key) {
  if (folder().empty())
    return nullptr;
  std::string path = absl::StrCat(folder(), "/", folderOf(kind), "/", key);
  auto entry = openCacheEntry(path, kind, key);
  if (entry.ok()) {
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // now: what trim() goes by
    return *std::move(entry);
  }
  if (!absl::IsNotFound(entry.status()))
    note(absl::StrCat("cache: ", entry.status().message(), "; ignored"));
  return nullptr;
}

absl::optional<std::vector<uint8_t>> ArtifactCache::read(ArtifactKind kind, absl::string_view key) {
  if (kind == ArtifactKind::Code)
    if (auto held = heldCode.find(std::string(key)); held != heldCode.end())
      return held->second;
  std::unique_ptr<CacheEntry> entry = find(kind, key);
  if (!entry)
    return absl::nullopt;
  std::vector<uint8_t> bytes(entry->size());
  if (absl::Status status = entry->read(bytes.data(), 1); !status.ok()) {
    note(absl::StrCat("cache: ", status.message(), "; ignored"));
    return absl::nullopt;
  }
  return bytes;
}

absl::StatusOr<std::unique_ptr<CacheEntryWriter>> ArtifactCache::create(ArtifactKind kind,
                                                                        absl::string_view key) {
  if (!isContentHash({key.data(), key.size()}))
    return absl::InvalidArgumentError(
        absl::StrCat("cache key '", key, "': expected 32 hexadecimal digits"));
  if (folder().empty())
    return absl::FailedPreconditionError("there is no cache folder");
  std::string path = absl::StrCat(folder(), "/", folderOf(kind), "/", key);
  return createCacheEntry(path, kind, key, [this] { trim(); });
}

void ArtifactCache::keepCode(absl::string_view key, absl::Span<const uint8_t> code) {
  if (keeping) {
    absl::Status status = write(ArtifactKind::Code, key, code);
    if (status.ok())
      return;
    notKept(status);
  }
  heldCode[std::string(key)].assign(code.begin(), code.end());
}

absl::Status ArtifactCache::write(ArtifactKind kind, absl::string_view key,
                                  absl::Span<const uint8_t> bytes) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CacheEntryWriter> writer, create(kind, key));
  QRT_RETURN_IF_ERROR(writer->write(bytes.data(), bytes.size()));
  QRT_RETURN_IF_ERROR(writer->commit());
  if (kind == ArtifactKind::Code)
    return recordOwnProduct(secureHash(bytes.data(), bytes.size()));
  return absl::OkStatus();
}

bool ArtifactCache::isOwnProduct(absl::string_view hash) const {
  std::string path = absl::StrCat(folder(), "/own/", hash);
  return !folder().empty() && isSecureHash({hash.data(), hash.size()}) &&
         access(path.c_str(), F_OK) == 0;
}

absl::Status ArtifactCache::recordOwnProduct(absl::string_view hash) {
  if (!isSecureHash({hash.data(), hash.size()}))
    return absl::InvalidArgumentError(
        absl::StrCat("'", hash, "' is no hash of code: expected 64 hexadecimal digits"));
  if (folder().empty())
    return absl::FailedPreconditionError("there is no cache folder");
  return writeFileAtomically(absl::StrCat(folder(), "/own/", hash), "");
}

std::string ArtifactCache::packagePath(absl::string_view key) const {
  return absl::StrCat(folder(), "/packages/", key);
}

absl::optional<std::string> ArtifactCache::findPackage(absl::string_view key) const {
  std::string path = packagePath(key);
  if (folder().empty() || access(path.c_str(), F_OK) != 0)
    return absl::nullopt;
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // as above
  return path;
}

absl::StatusOr<std::string> qrt::hashFile(const std::string &path) {
  // Not blocking: opening a pipe must not wait for a writer.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return absl::NotFoundError(absl::StrCat(path, ": cannot be opened: ", std::strerror(errno)));
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(file);
    return absl::FailedPreconditionError(absl::StrCat(path, ": not a regular file"));
  }
  ContentHasher hasher;
  std::vector<uint8_t> buffer(size_t(1) << 20);
  ssize_t got;
  while ((got = ::read(file, buffer.data(), buffer.size())) != 0) {
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      break;
    hasher.update(buffer.data(), static_cast<size_t>(got));
  }
  int error = errno;
  close(file);
  if (got < 0)
    return absl::UnavailableError(absl::StrCat(path, ": cannot be read: ", std::strerror(error)));
  return hasher.hex();
}

absl::StatusOr<std::string> ArtifactCache::sourceHash(const std::string &path) {
  struct stat info;
  std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  if (!real || stat(real.get(), &info) != 0)
    return absl::NotFoundError(absl::StrCat(path, ": cannot be opened: ", std::strerror(errno)));
  // The time of the inode's change cannot be set back as that of the contents can.
  std::string identity = absl::StrCat(real.get(), "\n", info.st_size, " ", info.st_mtim.tv_sec, ".",
                                      info.st_mtim.tv_nsec, " ", info.st_ctim.tv_sec, ".",
                                      info.st_ctim.tv_nsec, " ", info.st_dev, ":", info.st_ino);
  if (folder().empty())
    return hashFile(path);
  std::string record = absl::StrCat(folder(), "/sources/", contentHash(identity));
  // A record is the hash and the hash of it with the identity, 64 digits.
  auto recordFor = [&](const std::string &hash) { return hash + contentHash(identity + hash); };
  int file = ::open(record.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    char text[65];
    ssize_t got = ::read(file, text, sizeof(text));
    close(file);
    std::string hash(text, got == 64 ? 32 : 0);
    if (got == 64 && recordFor(hash) == std::string(text, 64))
      return hash;
    note(absl::StrCat("cache: ", record, ": damaged; ignored"));
  }
  QRT_ASSIGN_OR_RETURN(std::string hash, hashFile(path));
  if (keeping)
    if (absl::Status status = writeFileAtomically(record, recordFor(hash)); !status.ok())
      notKept(status);
  return hash;
}

static uint64_t sizeOf(const fs::path &path) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) {
    uintmax_t size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  uint64_t total = 0;
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
       it.increment(error))
    if (it->is_regular_file(error))
      total += it->file_size(error);
  return total;
}

absl::StatusOr<std::vector<ArtifactCache::Item>> ArtifactCache::list() const {
  std::vector<Item> items;
  for (const char *name : {"code", "weights", "packages"}) {
    std::error_code error;
    for (fs::directory_iterator it(folder() + "/" + name, error), end; !error && it != end;
         it.increment(error)) {
      struct stat info;
      std::string entry = it->path().filename().string();
      if (!isTemporaryName(entry) && stat(it->path().c_str(), &info) == 0)
        items.push_back({absl::StrCat(name, "/", entry), sizeOf(it->path()), info.st_mtim.tv_sec});
    }
    if (error)
      return absl::UnavailableError(
          absl::StrCat(folder(), "/", name, ": cannot be listed: ", error.message()));
  }
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) {
    return a.lastUse != b.lastUse ? a.lastUse > b.lastUse : a.name < b.name;
  });
  return items;
}

void ArtifactCache::trim() {
  auto items = list();
  if (!items.ok())
    return note(absl::StrCat("cache: ", items.status().message()));
  uint64_t total = 0;
  for (const Item &item : *items) {
    total += item.bytes;
    // What this process has made or used stays even if it is over the limit alone.
    if (total <= options.maxBytes || item.lastUse >= opened)
      continue;
    std::error_code error;
    fs::remove_all(folder() + "/" + item.name, error);
  }
}

absl::Status ArtifactCache::clear() {
  for (const char *name : kFolders) {
    std::error_code error;
    fs::remove_all(folder() + "/" + name, error);
    if (error)
      return absl::UnavailableError(
          absl::StrCat(folder(), "/", name, ": cannot be removed: ", error.message()));
    QRT_RETURN_IF_ERROR(createFolders(folder() + "/" + name));
  }
  return absl::OkStatus();
}
