//===- ArtifactCacheTest.cpp - entries, damage, limits --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Support/Hash.h"

#include "gtest/gtest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>

using namespace qrt;
using namespace qrt::test;
namespace fs = std::filesystem;

namespace {

const std::string kKey = "0123456789abcdef0123456789abcdef";

std::string keyOf(int i) { return contentHash(std::to_string(i)); }

class ArtifactCacheTest : public testing::Test {
protected:
  void SetUp() override { reopen(uint64_t(1) << 30); }

  void reopen(uint64_t maxBytes) {
    ArtifactCacheOptions options;
    options.folder = folder.path + "/cache";
    options.maxBytes = maxBytes;
    options.note = [this](absl::string_view line) { notes.emplace_back(line); };
    cache = *ArtifactCache::open(std::move(options));
  }

  static std::vector<uint8_t> bytes(size_t size, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<uint8_t> result(size);
    for (uint8_t &byte : result)
      byte = static_cast<uint8_t>(random());
    return result;
  }

  TemporaryFolder folder;
  std::unique_ptr<ArtifactCache> cache;
  std::vector<std::string> notes;
};

TEST_F(ArtifactCacheTest, WritesAndReads) {
  for (size_t size : {size_t(0), size_t(1), CacheEntry::kSegment - 1, CacheEntry::kSegment,
                      3 * CacheEntry::kSegment + 17}) {
    std::vector<uint8_t> data = bytes(size);
    ASSERT_TRUE(cache->write(ArtifactKind::Weights, kKey, data).ok());
    EXPECT_EQ(*cache->read(ArtifactKind::Weights, kKey), data);
    auto entry = cache->find(ArtifactKind::Weights, kKey);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->size(), size);
    auto mapped = entry->map();
    ASSERT_TRUE(mapped.ok()) << mapped.status();
    EXPECT_EQ(std::vector<uint8_t>(mapped->begin(), mapped->end()), data);
    std::vector<uint8_t> again(size);
    EXPECT_TRUE(entry->read(again.data(), 2).ok());
    EXPECT_EQ(again, data);
  }
  EXPECT_FALSE(cache->read(ArtifactKind::Code, kKey)) << "kinds are apart";
  EXPECT_TRUE(notes.empty());
}

TEST_F(ArtifactCacheTest, PiecesOfAnySizeMakeTheSameEntry) {
  std::vector<uint8_t> data = bytes(2 * CacheEntry::kSegment + 999);
  auto writer = cache->create(ArtifactKind::Weights, kKey);
  ASSERT_TRUE(writer.ok());
  std::mt19937 random(3);
  for (size_t at = 0; at < data.size();) {
    size_t size = std::min<size_t>(data.size() - at, random() % 300000);
    ASSERT_TRUE((*writer)->write(data.data() + at, size).ok());
    at += size;
  }
  EXPECT_FALSE(cache->find(ArtifactKind::Weights, kKey)) << "visible before it is complete";
  ASSERT_TRUE((*writer)->commit().ok());
  EXPECT_EQ(*cache->read(ArtifactKind::Weights, kKey), data);
}

TEST_F(ArtifactCacheTest, AnAbandonedEntryLeavesNothing) {
  {
    auto writer = cache->create(ArtifactKind::Weights, kKey);
    ASSERT_TRUE((*writer)->write("abc", 3).ok());
  }
  EXPECT_TRUE(fs::is_empty(folder.path + "/cache/weights"));
}

TEST_F(ArtifactCacheTest, EveryFlippedByteIsNoticed) {
  std::vector<uint8_t> data = bytes(300);
  ASSERT_TRUE(cache->write(ArtifactKind::Code, kKey, data).ok());
  const std::string path = folder.path + "/cache/code/" + kKey;
  const std::vector<uint8_t> good = readFile(path);
  ASSERT_EQ(good.size(), data.size() + 128);
  for (size_t i = 0; i < good.size() - 8; ++i) { // the last 8 bytes are padding
    std::vector<uint8_t> bad = good;
    bad[i] ^= 0x40;
    writeFile(path, bad);
    notes.clear();
    EXPECT_FALSE(cache->read(ArtifactKind::Code, kKey)) << "byte " << i;
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find(path), std::string::npos);
  }
}

TEST_F(ArtifactCacheTest, CutAndForeignFilesAreNoticed) {
  ASSERT_TRUE(cache->write(ArtifactKind::Code, kKey, bytes(300)).ok());
  const std::string path = folder.path + "/cache/code/" + kKey;
  const std::vector<uint8_t> good = readFile(path);
  for (size_t size : {size_t(0), size_t(1), size_t(127), size_t(128), good.size() - 1}) {
    writeFile(path, {good.begin(), good.begin() + static_cast<ptrdiff_t>(size)});
    EXPECT_FALSE(cache->read(ArtifactKind::Code, kKey)) << "cut to " << size;
  }
  writeFile(path, good);
  fs::copy(path, folder.path + "/cache/code/" + keyOf(1));
  fs::copy(path, folder.path + "/cache/weights/" + kKey);
  notes.clear();
  EXPECT_FALSE(cache->read(ArtifactKind::Code, keyOf(1)));
  EXPECT_FALSE(cache->read(ArtifactKind::Weights, kKey));
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("belongs to another key"), std::string::npos);
  EXPECT_TRUE(cache->read(ArtifactKind::Code, kKey));
}

TEST_F(ArtifactCacheTest, OwnProductsAreKnown) {
  std::vector<uint8_t> code = bytes(50);
  const std::string hash = secureHash(code.data(), code.size());
  EXPECT_FALSE(cache->isOwnProduct(hash));
  ASSERT_TRUE(cache->write(ArtifactKind::Weights, kKey, code).ok());
  EXPECT_FALSE(cache->isOwnProduct(hash)) << "weights are not code";
  ASSERT_TRUE(cache->write(ArtifactKind::Code, kKey, code).ok());
  EXPECT_TRUE(cache->isOwnProduct(hash));
  EXPECT_FALSE(cache->isOwnProduct("../code/" + kKey));
  EXPECT_FALSE(cache->isOwnProduct(""));
  EXPECT_FALSE(cache->recordOwnProduct("nonsense").ok());
  // A content hash names code, but other code can be made to have the same.
  const std::string weak = contentHash(code.data(), code.size());
  EXPECT_EQ(cache->recordOwnProduct(weak).message(),
            "'" + weak + "' is no hash of code: expected 64 hexadecimal digits");
  writeFile(folder.path + "/cache/own/" + weak, {});
  EXPECT_FALSE(cache->isOwnProduct(weak));
}

TEST_F(ArtifactCacheTest, KeysAreHashes) {
  for (const char *key : {"", "abc", "../../etc/passwd", "0123456789ABCDEF0123456789abcdef"})
    EXPECT_EQ(cache->create(ArtifactKind::Code, key).status().code(),
              absl::StatusCode::kInvalidArgument)
        << key;
}

TEST_F(ArtifactCacheTest, TheLimitRemovesWhatWasNotUsed) {
  auto setTime = [&](int i, time_t seconds) {
    const std::string path = folder.path + "/cache/weights/" + keyOf(i);
    timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  };
  reopen(3 * (1000 + 128));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(cache->write(ArtifactKind::Weights, keyOf(i), bytes(1000)).ok());
    setTime(i, 1000 + i);
  }
  EXPECT_TRUE(cache->find(ArtifactKind::Weights, keyOf(0))); // a use: now it is the newest
  ASSERT_TRUE(cache->write(ArtifactKind::Weights, keyOf(3), bytes(1000)).ok());
  EXPECT_TRUE(cache->find(ArtifactKind::Weights, keyOf(0)));
  EXPECT_FALSE(cache->find(ArtifactKind::Weights, keyOf(1)));
  EXPECT_TRUE(cache->find(ArtifactKind::Weights, keyOf(2)));
  EXPECT_TRUE(cache->find(ArtifactKind::Weights, keyOf(3)));
  // More than the limit at once: it was asked for, so it stays, and so does what else was.
  ASSERT_TRUE(cache->write(ArtifactKind::Weights, keyOf(4), bytes(9000)).ok());
  EXPECT_TRUE(cache->find(ArtifactKind::Weights, keyOf(3)));
  EXPECT_TRUE(cache->find(ArtifactKind::Weights, keyOf(4)));
  // Another process does not care.
  for (int i : {0, 2, 3, 4})
    setTime(i, 1000);
  ASSERT_TRUE(cache->write(ArtifactKind::Weights, keyOf(5), bytes(3000)).ok());
  auto items = cache->list();
  ASSERT_TRUE(items.ok());
  ASSERT_EQ(items->size(), 1u);
  EXPECT_EQ((*items)[0].name, "weights/" + keyOf(5));
  EXPECT_EQ((*items)[0].bytes, 3128u);
}

TEST_F(ArtifactCacheTest, ListAndClear) {
  ASSERT_TRUE(cache->write(ArtifactKind::Weights, keyOf(0), bytes(10)).ok());
  ASSERT_TRUE(cache->write(ArtifactKind::Code, keyOf(1), bytes(20)).ok());
  fs::create_directories(cache->packagePath(keyOf(2)));
  writeFile(cache->packagePath(keyOf(2)) + "/manifest.json", bytes(77));
  auto items = cache->list();
  ASSERT_TRUE(items.ok());
  uint64_t total = 0;
  for (const ArtifactCache::Item &item : *items)
    total += item.bytes;
  EXPECT_EQ(items->size(), 3u);
  EXPECT_EQ(total, 10 + 20 + 2 * 128 + 77u);
  ASSERT_TRUE(cache->clear().ok());
  EXPECT_TRUE(cache->list()->empty());
  EXPECT_FALSE(cache->isOwnProduct(secureHash(bytes(20).data(), 20)));
  EXPECT_TRUE(cache->write(ArtifactKind::Code, keyOf(1), bytes(20)).ok()) << "usable afterwards";
}

TEST_F(ArtifactCacheTest, PackagesAreFoundByKey) {
  EXPECT_FALSE(cache->findPackage(kKey));
  fs::create_directories(cache->packagePath(kKey));
  EXPECT_EQ(*cache->findPackage(kKey), cache->packagePath(kKey));
}

TEST_F(ArtifactCacheTest, SourceHashFollowsTheFile) {
  const std::string path = folder / "model.gguf";
  writeFile(path, {1, 2, 3});
  const uint8_t first[] = {1, 2, 3}, second[] = {1, 2, 4};
  EXPECT_EQ(*cache->sourceHash(path), contentHash(first, 3));
  EXPECT_EQ(*cache->sourceHash(path), contentHash(first, 3));
  fs::create_symlink(path, folder / "link.gguf");
  EXPECT_EQ(*cache->sourceHash(folder / "link.gguf"), contentHash(first, 3));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path + "/cache/sources"), {}), 1);
  // The same size and, set back, the same time: the inode's own time gives it away.
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  usleep(20000); // the clock of a file system is coarse
  writeFile(path, {1, 2, 4});
  timespec times[2] = {info.st_atim, info.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_EQ(*cache->sourceHash(path), contentHash(second, 3));
  EXPECT_EQ(cache->sourceHash(folder / "none").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ArtifactCacheTest, OnlyFilesAreHashed) {
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(hashFile(pipe).status().message(), pipe + ": not a regular file");
  EXPECT_EQ(cache->sourceHash(pipe).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(hashFile(folder.path).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ArtifactCacheTest, ADamagedSourceRecordIsIgnored) {
  const std::string path = folder / "model.gguf";
  writeFile(path, {1, 2, 3});
  std::string hash = *cache->sourceHash(path);
  const fs::path record = fs::directory_iterator(folder.path + "/cache/sources")->path();
  std::vector<uint8_t> text = readFile(record);
  text[0] ^= 1;
  writeFile(record, text);
  EXPECT_EQ(*cache->sourceHash(path), hash);
  EXPECT_EQ(notes.size(), 1u);
  EXPECT_EQ(*cache->sourceHash(path), hash);
  EXPECT_EQ(notes.size(), 1u) << "it was not repaired";
}

TEST_F(ArtifactCacheTest, WhatKilledWritersLeftIsRemoved) {
  for (const char *kind : {"code/", "packages/"})
    fs::create_directories(cache->folder() + "/" + kind + keyOf(1) + ".tmp-1-2");
  EXPECT_TRUE(cache->list()->empty()) << "what is being written is no entry";
  reopen(uint64_t(1) << 30);
  for (const char *kind : {"/code", "/packages"})
    EXPECT_TRUE(fs::is_empty(cache->folder() + kind));
}

TEST_F(ArtifactCacheTest, NothingIsKeptWhereNothingCanBeWritten) {
  const std::vector<uint8_t> code = bytes(100), other = bytes(50, 2);
  cache->keepCode(kKey, code);
  EXPECT_TRUE(cache->keeps());
  // A link to where nobody, root included, can make a file.
  fs::rename(cache->folder() + "/own", cache->folder() + "/old");
  fs::create_directory_symlink("/proc/self/task", cache->folder() + "/own");
  cache->keepCode(keyOf(1), other);
  EXPECT_FALSE(cache->keeps());
  cache->keepCode(keyOf(2), other);
  ASSERT_EQ(notes.size(), 1u) << "said once";
  EXPECT_NE(notes[0].find("/own/"), std::string::npos) << notes[0];
  EXPECT_NE(notes[0].find("is not kept"), std::string::npos) << notes[0];
  EXPECT_EQ(*cache->read(ArtifactKind::Code, kKey), code) << "what is there serves";
  EXPECT_EQ(*cache->read(ArtifactKind::Code, keyOf(1)), other) << "held for this run";
  EXPECT_EQ(*cache->read(ArtifactKind::Code, keyOf(2)), other);
  EXPECT_FALSE(fs::exists(cache->folder() + "/code/" + keyOf(2)));
}

TEST_F(ArtifactCacheTest, ACacheThatIsNone) {
  ArtifactCacheOptions options;
  options.note = [this](absl::string_view line) { notes.emplace_back(line); };
  auto none = ArtifactCache::none(std::move(options), absl::UnavailableError("no room"));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].rfind("cache: no room; ", 0), 0u) << notes[0];
  EXPECT_FALSE(none->keeps());
  EXPECT_EQ(none->find(ArtifactKind::Weights, kKey), nullptr);
  EXPECT_FALSE(none->write(ArtifactKind::Weights, kKey, bytes(10)).ok());
  EXPECT_FALSE(none->recordOwnProduct(std::string(64, 'a')).ok());
  EXPECT_FALSE(none->isOwnProduct(std::string(64, 'a')));
  EXPECT_FALSE(none->findPackage(kKey));
  std::string scratch = *none->scratchFolder();
  EXPECT_TRUE(fs::is_directory(scratch));
  const std::string source = folder / "source";
  writeFile(source, {1, 2, 3});
  EXPECT_EQ(*none->sourceHash(source), *hashFile(source));
  none.reset();
  EXPECT_FALSE(fs::exists(scratch));
  EXPECT_EQ(notes.size(), 1u);
}

} // namespace
