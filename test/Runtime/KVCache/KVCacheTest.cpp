//===- KVCacheTest.cpp - each promise of the cache on its own -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/KVCache/KVCache.h"
#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Device/Poison.h"
#include "quench-rt/Support/Hash.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace qrt;

namespace {

constexpr int64_t kSlots = 4;

class KVCacheTest : public testing::Test {
protected:
  void make(int64_t contextLength, int64_t maxPages = 0) {
    ThreadTeamOptions one;
    one.numThreads = 1;
    device = *createCpuDevice(one);
    auto geometry = CacheGeometry::create(2, 1, 4, kSlots, 2);
    auto made = KVCache::create(*device, *geometry, {contextLength, maxPages});
    ASSERT_TRUE(made.ok()) << made.status();
    cache = *std::move(made);
  }

  /// `count` positions of bytes that depend on `seed` and the position's number.
  std::vector<uint8_t> positions(int count, int seed) const {
    std::vector<uint8_t> bytes;
    for (int i = 0; i < count; ++i)
      bytes.insert(bytes.end(), cache->geometry().positionBytes(), uint8_t(seed + i));
    return bytes;
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<KVCache> cache;
};

TEST_F(KVCacheTest, AppendsAndReads) {
  make(64);
  Sequence sequence = cache->newSequence();
  ASSERT_TRUE(sequence.append(positions(3, 10)).ok());
  ASSERT_TRUE(sequence.append(positions(7, 13)).ok());
  EXPECT_EQ(sequence.length(), 10);
  EXPECT_EQ(*sequence.read(0, 10), positions(10, 10));
  EXPECT_EQ(*sequence.read(4, 2), positions(2, 14));
  EXPECT_EQ(cache->pagesInUse(), 3);
}

TEST_F(KVCacheTest, CompiledCodeCommitsThroughTheView) {
  make(64);
  Sequence sequence = cache->newSequence();
  ASSERT_TRUE(sequence.append(positions(3, 1)).ok());
  ASSERT_TRUE(sequence.reserve(4).ok());
  qrt_cache_view *view = sequence.view();
  EXPECT_EQ(view->length, 3);
  EXPECT_EQ(view->capacity, 7);
  for (int64_t p = 3; p < 7; ++p)
    cache->geometry().writePosition(static_cast<uint8_t *>(view->pages[p / kSlots]), p % kSlots,
                                    positions(1, 100 + int(p)).data());
  view->length = 5; // two of four are kept
  EXPECT_EQ(sequence.length(), 5);
  EXPECT_EQ(*sequence.read(3, 2), positions(2, 103));
  EXPECT_EQ(sequence.read(3, 3).status().message(), "cannot read 3 positions from 3: there are 5");
}

TEST_F(KVCacheTest, TheContextIsTheLimit) {
  make(6);
  Sequence sequence = cache->newSequence();
  ASSERT_TRUE(sequence.append(positions(5, 0)).ok());
  EXPECT_TRUE(sequence.reserve(1).ok());
  absl::Status status = sequence.reserve(2);
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "cannot append 2 positions to 5: the context has 6");
  EXPECT_EQ(sequence.reserve(INT64_MAX).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(sequence.reserve(-1).code(), absl::StatusCode::kOutOfRange);
}

TEST_F(KVCacheTest, NoPagesLeftChangesNothing) {
  make(64, 3);
  Sequence a = cache->newSequence(), b = cache->newSequence();
  ASSERT_TRUE(a.append(positions(5, 0)).ok());
  ASSERT_TRUE(b.append(positions(4, 50)).ok());
  absl::Status status = b.reserve(9);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "the cache has 0 of 3 pages left, but 3 are needed");
  EXPECT_EQ(b.view()->capacity, 4);
  EXPECT_EQ(cache->pagesInUse(), 3);
  a.clear();
  EXPECT_TRUE(b.append(positions(4, 54)).ok());
  EXPECT_EQ(*b.read(0, 8), positions(8, 50));
}

TEST_F(KVCacheTest, ForkSharesAndCopiesOnWrite) {
  make(64, 8);
  Sequence a = cache->newSequence();
  ASSERT_TRUE(a.append(positions(6, 0)).ok());
  Sequence b = a.fork();
  EXPECT_EQ(cache->pagesInUse(), 2);
  EXPECT_EQ(b.length(), 6);
  // The second page is partly filled and shared: whoever writes first copies it.
  ASSERT_TRUE(b.append(positions(1, 70)).ok());
  EXPECT_EQ(cache->pagesInUse(), 3);
  ASSERT_TRUE(a.append(positions(1, 6)).ok());
  EXPECT_EQ(cache->pagesInUse(), 3);
  EXPECT_EQ(*a.read(0, 7), positions(7, 0));
  EXPECT_EQ(*b.read(0, 6), positions(6, 0));
  EXPECT_EQ(*b.read(6, 1), positions(1, 70));
}

TEST_F(KVCacheTest, AReservationDoesNotSurviveAFork) {
  make(64, 8);
  Sequence a = cache->newSequence();
  ASSERT_TRUE(a.append(positions(5, 0)).ok());
  ASSERT_TRUE(a.reserve(2).ok());
  Sequence b = a.fork();
  EXPECT_EQ(a.view()->capacity, 5);
  EXPECT_EQ(b.view()->capacity, 5);
}

TEST_F(KVCacheTest, TruncateThenAppendWritesOnlyOwnPages) {
  make(64, 8);
  Sequence a = cache->newSequence();
  ASSERT_TRUE(a.append(positions(8, 0)).ok());
  Sequence b = a.fork();
  ASSERT_TRUE(b.truncate(2).ok());
  ASSERT_TRUE(b.append(positions(2, 90)).ok());
  EXPECT_EQ(*a.read(0, 8), positions(8, 0));
  EXPECT_EQ(b.truncate(5).message(), "cannot keep 5 positions: there are 4");
}

TEST_F(KVCacheTest, AFreedPageComesBackCleared) {
  make(64, 1);
  {
    Sequence a = cache->newSequence();
    ASSERT_TRUE(a.append(positions(4, 0x55)).ok());
  }
  EXPECT_EQ(cache->pagesInUse(), 0);
  Sequence b = cache->newSequence();
  ASSERT_TRUE(b.reserve(1).ok());
  auto *page = static_cast<uint8_t *>(b.view()->pages[0]);
  EXPECT_EQ(std::vector<uint8_t>(page, page + cache->geometry().pageBytes()),
            std::vector<uint8_t>(cache->geometry().pageBytes()));
}

TEST_F(KVCacheTest, HashIsOverPositionsNotPages) {
  make(64, 16);
  Sequence a = cache->newSequence(), b = cache->newSequence();
  ASSERT_TRUE(a.append(positions(9, 3)).ok());
  ASSERT_TRUE(b.append(positions(4, 3)).ok());
  Sequence c = b.fork();
  ASSERT_TRUE(b.append(positions(9, 100)).ok());
  ASSERT_TRUE(b.truncate(4).ok());
  ASSERT_TRUE(b.append(positions(5, 7)).ok());
  EXPECT_EQ(*a.hashCommitted(9), *b.hashCommitted(9));
  std::vector<uint8_t> bytes = positions(9, 3);
  EXPECT_EQ(*a.hashCommitted(9), contentHash(bytes.data(), bytes.size()));
  EXPECT_NE(*a.hashCommitted(8), *b.hashCommitted(9));
  EXPECT_EQ(a.hashCommitted(10).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(*c.hashCommitted(4), *a.hashCommitted(4));
}

TEST_F(KVCacheTest, UnusedBytesArePoisonedUnderTheSanitizer) {
  make(64, 2);
  Sequence a = cache->newSequence();
  ASSERT_TRUE(a.reserve(1).ok());
  auto *page = static_cast<uint8_t *>(a.view()->pages[0]);
  EXPECT_FALSE(isPoisoned(page));
  EXPECT_FALSE(isPoisoned(page + cache->geometry().pageBytes() - 1));
  a.clear();
#ifdef QRT_HAS_ASAN
  EXPECT_TRUE(isPoisoned(page));
  EXPECT_TRUE(isPoisoned(page + cache->geometry().pageBytes()));
#endif
}

TEST_F(KVCacheTest, MemoryIsTakenAsNeeded) {
  make(1 << 20);
  EXPECT_EQ(cache->allocatedBytes(), 0u);
  Sequence a = cache->newSequence();
  ASSERT_TRUE(a.reserve(1).ok());
  EXPECT_GT(cache->allocatedBytes(), 0u);
  EXPECT_LE(cache->allocatedBytes(), size_t(5) << 20);
}

TEST_F(KVCacheTest, MovedSequencesFreeOnce) {
  make(64, 4);
  Sequence a = cache->newSequence();
  ASSERT_TRUE(a.append(positions(5, 0)).ok());
  Sequence b = std::move(a);
  Sequence c = cache->newSequence();
  ASSERT_TRUE(c.append(positions(3, 0)).ok());
  c = std::move(b);
  EXPECT_EQ(cache->pagesInUse(), 2);
  EXPECT_EQ(*c.read(0, 5), positions(5, 0));
}

TEST_F(KVCacheTest, ImpossibleOptionsAreRefused) {
  make(1);
  auto refuse = [&](int64_t context, int64_t pages) {
    return KVCache::create(*device, cache->geometry(), {context, pages}).status().code();
  };
  EXPECT_EQ(refuse(0, 0), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(refuse(-5, 0), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(refuse(INT64_MAX, 0), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(refuse(1, -1), absl::StatusCode::kInvalidArgument);
}

} // namespace
