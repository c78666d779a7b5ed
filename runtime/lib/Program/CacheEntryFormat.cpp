//===- CacheEntryFormat.cpp - entries on disk: bytes, then a trailer ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The bytes come first, so that they can be mapped (and so that an ELF library is one).
// The checksum is the hash of the concatenated hashes of segments: threads can check
// parts on their own.
//
//===----------------------------------------------------------------------===//

#include "CacheEntryFormat.h"

#include "Parallel.h"

#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

using namespace qrt;

namespace {

/// Little-endian as everything on the machines that this runs on.
struct Trailer {
  char magic[8];
  uint32_t version;
  uint32_t kind;
  uint64_t size;
  char key[32];
  char segments[32]; ///< hash of the segments' hashes
  char self[32];     ///< hash of the members above
  char padding[8];
};
static_assert(sizeof(Trailer) == 128, "part of the format");

constexpr char kMagic[8] = {'Q', 'u', 'e', 'n', 'c', 'h', 'C', 'E'};
constexpr uint32_t kVersion = 1;

std::string selfHash(const Trailer &trailer) {
  return contentHash(&trailer, offsetof(Trailer, self));
}

size_t numSegments(size_t size) { return (size + CacheEntry::kSegment - 1) / CacheEntry::kSegment; }

absl::Status damaged(const std::string &path, absl::string_view why) {
  return absl::DataLossError(absl::StrCat(path, ": ", why));
}

bool readAt(int file, uint8_t *to, size_t size, size_t offset) {
  while (size) {
    ssize_t got = pread(file, to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    to += got;
    offset += static_cast<size_t>(got);
    size -= static_cast<size_t>(got);
  }
  return true;
}

class FileEntry final : public CacheEntry {
public:
  FileEntry(std::string path, int file, const Trailer &trailer)
      : name(std::move(path)), file(file), trailer(trailer) {}
  ~FileEntry() override {
    if (mapping)
      munmap(mapping, size());
    close(file);
  }

  size_t size() const override { return trailer.size; }
  const std::string &path() const override { return name; }

  absl::Status read(uint8_t *to, int threads) const override {
    return check(threads, [&](size_t offset, size_t bytes) {
      return readAt(file, to + offset, bytes, offset) ? to + offset : nullptr;
    });
  }

  absl::StatusOr<absl::Span<const uint8_t>> map() override {
    if (!mapping && size()) {
      void *start = mmap(nullptr, size(), PROT_READ, MAP_PRIVATE, file, 0);
      if (start == MAP_FAILED)
        return absl::ResourceExhaustedError(
            absl::StrCat(name, ": cannot be mapped: ", std::strerror(errno)));
      mapping = static_cast<uint8_t *>(start);
      QRT_RETURN_IF_ERROR(check(1, [&](size_t offset, size_t) { return mapping + offset; }));
    }
    return absl::MakeConstSpan(mapping, size());
  }

private:
  /// `get(offset, bytes)` provides a segment, or null if it cannot be had.
  absl::Status check(int threads, absl::FunctionRef<const uint8_t *(size_t, size_t)> get) const {
    std::vector<std::string> hashes(numSegments(size()));
    std::atomic<bool> unreadable{false};
    parallelFor(hashes.size(), threads, [&](size_t i) {
      size_t offset = i * kSegment, bytes = std::min(kSegment, size() - offset);
      if (const uint8_t *segment = get(offset, bytes))
        hashes[i] = contentHash(segment, bytes);
      else
        unreadable = true;
    });
    if (unreadable)
      return damaged(name, "cannot be read");
    ContentHasher all;
    for (const std::string &hash : hashes)
      all.update(hash);
    if (std::memcmp(all.hex().data(), trailer.segments, sizeof(trailer.segments)) != 0)
      return damaged(name, "the checksum does not match");
    return absl::OkStatus();
  }

  std::string name;
  int file;
  Trailer trailer;
  uint8_t *mapping = nullptr;
};

class FileEntryWriter final : public CacheEntryWriter {
public:
  FileEntryWriter(AtomicFile file, ArtifactKind kind, absl::string_view key,
                  std::function<void()> committed)
      : file(std::move(file)), committed(std::move(committed)) {
    std::memset(&trailer, 0, sizeof(trailer));
    std::memcpy(trailer.magic, kMagic, sizeof(kMagic));
    trailer.version = kVersion;
    trailer.kind = static_cast<uint32_t>(kind);
    std::memcpy(trailer.key, key.data(), sizeof(trailer.key));
  }

  absl::Status write(const void *data, size_t size) override {
    auto *bytes = static_cast<const uint8_t *>(data);
    QRT_RETURN_IF_ERROR(file.write(bytes, size));
    while (size) {
      size_t here = std::min(size, CacheEntry::kSegment - inSegment);
      segment->update(bytes, here);
      trailer.size += here;
      inSegment += here;
      bytes += here;
      size -= here;
      if (inSegment == CacheEntry::kSegment)
        endSegment();
    }
    return absl::OkStatus();
  }

  absl::Status commit() override {
    if (inSegment)
      endSegment();
    std::memcpy(trailer.segments, all.hex().data(), sizeof(trailer.segments));
    std::memcpy(trailer.self, selfHash(trailer).data(), sizeof(trailer.self));
    QRT_RETURN_IF_ERROR(file.write(&trailer, sizeof(trailer)));
    QRT_RETURN_IF_ERROR(file.commit());
    committed();
    return absl::OkStatus();
  }

private:
  void endSegment() {
    all.update(segment->hex());
    segment = std::make_unique<ContentHasher>();
    inSegment = 0;
  }

  AtomicFile file;
  std::function<void()> committed;
  Trailer trailer;
  ContentHasher all;
  std::unique_ptr<ContentHasher> segment = std::make_unique<ContentHasher>();
  size_t inSegment = 0;
};

} // namespace

absl::StatusOr<std::unique_ptr<CacheEntry>>
qrt::openCacheEntry(const std::string &path, ArtifactKind kind, absl::string_view key) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT)
      return absl::NotFoundError(path);
    return damaged(path, std::strerror(errno));
  }
  struct stat info;
  Trailer trailer = {};
  absl::Status status;
  auto sized = [&] { return static_cast<uint64_t>(info.st_size); };
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || sized() < sizeof(Trailer) ||
      !readAt(file, reinterpret_cast<uint8_t *>(&trailer), sizeof(trailer),
              sized() - sizeof(trailer)))
    status = damaged(path, "too short for a cache entry");
  else if (std::memcmp(trailer.magic, kMagic, sizeof(kMagic)) != 0)
    status = damaged(path, "cut, or not a cache entry");
  else if (trailer.version != kVersion)
    status = damaged(
        path, absl::StrCat("cache entry of version ", trailer.version, ", expected ", kVersion));
  else if (std::memcmp(trailer.self, selfHash(trailer).data(), sizeof(trailer.self)) != 0 ||
           trailer.size != sized() - sizeof(trailer))
    status = damaged(path, "the trailer is damaged");
  else if (trailer.kind != static_cast<uint32_t>(kind) ||
           absl::string_view(trailer.key, sizeof(trailer.key)) != key)
    status = damaged(path, "belongs to another key");
  if (!status.ok()) {
    close(file);
    return status;
  }
  return std::unique_ptr<CacheEntry>(std::make_unique<FileEntry>(path, file, trailer));
}

absl::StatusOr<std::unique_ptr<CacheEntryWriter>>
qrt::createCacheEntry(const std::string &path, ArtifactKind kind, absl::string_view key,
                      std::function<void()> committed) {
  QRT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  return std::unique_ptr<CacheEntryWriter>(
      std::make_unique<FileEntryWriter>(std::move(file), kind, key, std::move(committed)));
}
