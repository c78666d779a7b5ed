//===- RandomOperationsTest.cpp - the cache against a simple model --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The model of a sequence is the list of its positions' bytes, kept in ordinary
// memory. 100,000 random operations are applied to both; contents must agree, an
// operation may fail only where the rules say so, and no page may stay behind.
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/KVCache/KVCache.h"
#include "quench-rt/Support/Hash.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace qrt;

namespace {

constexpr int64_t kSlots = 4, kContext = 37, kPages = 24;
constexpr int kOperations = 100000;

struct Pair {
  Sequence real;
  std::vector<uint8_t> model; ///< positions, one after another
};

class RandomOperations : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    random.seed(static_cast<unsigned>(GetParam()));
    ThreadTeamOptions one;
    one.numThreads = 1;
    device = *createCpuDevice(one);
    geometry = *CacheGeometry::create(2, 2, 3, kSlots, 2);
    cache = *KVCache::create(*device, *geometry, {kContext, kPages});
  }

  int64_t below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(random); }
  Pair &any() { return pairs[static_cast<size_t>(below(static_cast<int64_t>(pairs.size())))]; }
  int64_t modelLength(const Pair &pair) const {
    return static_cast<int64_t>(pair.model.size() / geometry->positionBytes());
  }

  std::vector<uint8_t> randomPositions(int64_t count) {
    std::vector<uint8_t> bytes(static_cast<size_t>(count) * geometry->positionBytes());
    for (uint8_t &byte : bytes)
      byte = static_cast<uint8_t>(random());
    return bytes;
  }

  /// Whether the failure of a reservation is one that the rules allow: the context is
  /// too short, or even with a copied last page there are too few pages.
  void expectAllowed(const absl::Status &status, int64_t length, int64_t count) {
    if (length + count > kContext) {
      EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
      return;
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    int64_t touched = (length + count + kSlots - 1) / kSlots - length / kSlots;
    EXPECT_GT(cache->pagesInUse() + touched, kPages);
  }

  void append(Pair &pair) {
    int64_t count = below(10);
    std::vector<uint8_t> bytes = randomPositions(count);
    absl::Status status = pair.real.append(bytes);
    if (status.ok())
      pair.model.insert(pair.model.end(), bytes.begin(), bytes.end());
    else
      expectAllowed(status, modelLength(pair), count);
  }

  /// A speculative step as compiled code does it: reserve, write all, keep some.
  void step(Pair &pair) {
    int64_t rows = 1 + below(8), length = modelLength(pair);
    absl::Status status = pair.real.reserve(rows);
    if (!status.ok())
      return expectAllowed(status, length, rows);
    std::vector<uint8_t> bytes = randomPositions(rows);
    qrt_cache_view *view = pair.real.view();
    ASSERT_EQ(view->length, length);
    ASSERT_EQ(view->capacity, length + rows);
    const size_t size = geometry->positionBytes();
    for (int64_t i = 0; i < rows; ++i)
      geometry->writePosition(static_cast<uint8_t *>(view->pages[(length + i) / kSlots]),
                              (length + i) % kSlots, bytes.data() + size_t(i) * size);
    int64_t kept = below(rows + 1);
    view->length += kept;
    pair.model.insert(pair.model.end(), bytes.begin(),
                      bytes.begin() + static_cast<ptrdiff_t>(size_t(kept) * size));
  }

  void truncate(Pair &pair) {
    int64_t length = below(modelLength(pair) + 1);
    ASSERT_TRUE(pair.real.truncate(length).ok());
    pair.model.resize(static_cast<size_t>(length) * geometry->positionBytes());
  }

  void check(Pair &pair) {
    int64_t length = modelLength(pair);
    ASSERT_EQ(pair.real.length(), length);
    auto bytes = pair.real.read(0, length);
    ASSERT_TRUE(bytes.ok());
    ASSERT_EQ(*bytes, pair.model);
    ASSERT_EQ(*pair.real.hashCommitted(length), contentHash(pair.model.data(), pair.model.size()));
  }

  std::mt19937 random;
  std::unique_ptr<Device> device;
  absl::optional<CacheGeometry> geometry;
  std::unique_ptr<KVCache> cache;
  std::vector<Pair> pairs;
};

TEST_P(RandomOperations, AgreeWithTheModel) {
  int64_t exhausted = 0;
  for (int i = 0; i < kOperations && !HasFatalFailure(); ++i) {
    int64_t what = below(100);
    if (pairs.empty() || (what < 6 && pairs.size() < 12)) {
      pairs.push_back({cache->newSequence(), {}});
    } else if (what < 18 && pairs.size() < 12) {
      Pair &from = any();
      Pair copy{from.real.fork(), from.model};
      pairs.push_back(std::move(copy));
    } else if (what < 28) {
      std::swap(any(), pairs.back());
      pairs.pop_back();
    } else if (what < 50) {
      append(any());
    } else if (what < 80) {
      step(any());
    } else if (what < 90) {
      truncate(any());
    } else {
      check(any());
    }
    ASSERT_LE(cache->pagesInUse(), kPages);
    exhausted += cache->pagesInUse() == kPages;
    if (i % 1000 == 0)
      for (Pair &pair : pairs)
        check(pair);
  }
  for (Pair &pair : pairs)
    check(pair);
  pairs.clear();
  EXPECT_EQ(cache->pagesInUse(), 0);
  EXPECT_GT(exhausted, 0) << "the test never reached the limit";
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomOperations, testing::Values(1, 2, 3));

} // namespace
