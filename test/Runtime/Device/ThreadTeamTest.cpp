//===- ThreadTeamTest.cpp - persistent threads and their barrier ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/ThreadTeam.h"

#include "gtest/gtest.h"

#include <sched.h>

#include <atomic>
#include <cfloat>
#include <chrono>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace qrt;

namespace {

std::unique_ptr<ThreadTeam> make(int threads, bool pin = true, int spinPauses = 4000) {
  ThreadTeamOptions options;
  options.numThreads = threads;
  options.pin = pin;
  options.adapt = false; // all take part, whatever else the machine does
  options.spinPauses = spinPauses;
  auto team = ThreadTeam::create(options);
  EXPECT_TRUE(team.ok()) << team.status();
  return *std::move(team);
}

class ThreadTeamTest : public testing::TestWithParam<int> {};

TEST_P(ThreadTeamTest, EveryThreadRunsOnce) {
  auto team = make(GetParam());
  ASSERT_EQ(team->size(), GetParam());
  for (int step = 0; step < 200; ++step) {
    std::vector<int> calls(static_cast<size_t>(GetParam())); // each thread its own element
    team->run([&](uint64_t tid, uint64_t) { ++calls[tid]; });
    EXPECT_EQ(calls, std::vector<int>(calls.size(), 1));
  }
}

// What a step does: every thread reads what the others wrote before the barrier. Plain
// memory, so that the thread sanitizer sees a race if the barrier is none.
TEST_P(ThreadTeamTest, BarrierOrdersMemory) {
  auto team = make(GetParam());
  const auto size = static_cast<uint64_t>(GetParam());
  std::vector<uint64_t> cells(size);
  std::atomic<int> wrong{0};
  team->run([&](uint64_t tid, uint64_t) {
    for (uint64_t round = 1; round <= 500; ++round) {
      cells[tid] = round * (tid + 1);
      team->barrier(tid);
      for (uint64_t other = 0; other < size; ++other)
        wrong += cells[other] != round * (other + 1);
      team->barrier(tid);
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(ThreadTeamTest, WakesUpAfterSleeping) {
  auto team = make(GetParam(), true, /*spinPauses=*/0);
  std::atomic<int> calls{0};
  for (int step = 0; step < 5; ++step) {
    team->run([&](uint64_t, uint64_t) { ++calls; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5)); // long enough to park
  }
  EXPECT_EQ(calls, 5 * GetParam());
}

TEST_P(ThreadTeamTest, CallersTakeTurns) {
  auto team = make(GetParam());
  int inside = 0; // guarded by the team
  auto caller = [&] {
    for (int i = 0; i < 50; ++i)
      team->run([&](uint64_t tid, uint64_t) {
        if (tid == 0)
          ++inside;
      });
  };
  std::thread a(caller), b(caller);
  a.join();
  b.join();
  EXPECT_EQ(inside, 100);
}

#if defined(__x86_64__)
TEST_P(ThreadTeamTest, NumbersDoNotDependOnTheCallersEnvironment) {
  auto team = make(GetParam());
  const unsigned flushing = _mm_getcsr() | 0x8040; // flush to zero, denormals are zero
  const unsigned before = _mm_getcsr();
  _mm_setcsr(flushing);
  volatile float tiny = FLT_MIN;
  std::atomic<int> kept{0};
  team->run([&](uint64_t, uint64_t) { kept += tiny * 0.5f != 0; });
  EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040u) << "the caller's environment was not restored";
  _mm_setcsr(before);
  EXPECT_EQ(kept, GetParam());
}
#endif

TEST_P(ThreadTeamTest, TheCallersProcessorsAreRestored) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  auto team = make(GetParam());
  team->run([](uint64_t, uint64_t) {});
  ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadTeamTest, testing::Values(1, 2, 3, 5));

TEST(ThreadTeamOptions, ImpossibleCountsAreRefused) {
  ThreadTeamOptions options;
  options.numThreads = -1;
  EXPECT_EQ(ThreadTeam::create(options).status().message(),
            "thread count -1 is not possible: expected 1 to 1024, or 0 for one thread on each "
            "core");
  options.numThreads = 1025;
  EXPECT_EQ(ThreadTeam::create(options).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ThreadTeamOptions, DefaultIsOneThreadPerCore) {
  auto team = ThreadTeam::create({});
  ASSERT_TRUE(team.ok());
  EXPECT_EQ((*team)->size(), numUsableCores());
}

TEST(ThreadTeamOptions, PinnedThreadsHaveProcessorsOfTheirOwn) {
  if (numUsableCores() < 2) {
    auto team = make(2);
    team->run([](uint64_t, uint64_t) {}); // more threads than processors: nothing is pinned
    return;
  }
  auto team = make(2);
  int counts[2] = {}, cpus[2] = {};
  team->run([&](uint64_t tid, uint64_t) {
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof(mask), &mask) == 0)
      counts[tid] = CPU_COUNT(&mask);
    cpus[tid] = sched_getcpu();
  });
  EXPECT_EQ(counts[0], 1);
  EXPECT_EQ(counts[1], 1);
  EXPECT_NE(cpus[0], cpus[1]);
}

} // namespace
