//===- TeamSizeTest.cpp - with how many threads a team runs ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TeamSize.h"

#include "quench-rt/Device/ThreadTeam.h"

#include "gtest/gtest.h"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

using namespace qrt;

namespace {

constexpr int64_t kMillisecond = 1'000'000;

/// A team whose threads 1, 2, … wait for their processors as `share` says: 0.5 is half of
/// the time. While some are left out nobody waits.
struct Simulation {
  Simulation(int threads, std::vector<double> share)
      : size(threads), most(threads), share(std::move(share)) {}

  /// Runs of `length` for `time`, in milliseconds; how much of it with each number of threads.
  std::vector<int64_t> run(int64_t time, int64_t length = 5) {
    std::vector<int64_t> used(static_cast<size_t>(most) + 1);
    for (int64_t at = 0; at < time; at += length) {
      const int threads = size.threads();
      for (size_t i = 0; i < share.size() && threads == most; ++i)
        waited[i] += static_cast<int64_t>(share[i] * static_cast<double>(length * kMillisecond));
      const bool times = size.wantsTimes();
      questions += times;
      size.afterRun(length * kMillisecond,
                    times ? absl::MakeConstSpan(waited.data(), static_cast<size_t>(threads))
                          : absl::Span<const int64_t>());
      used[static_cast<size_t>(threads)] += length;
    }
    return used;
  }

  TeamSize size;
  int most;
  std::vector<double> share;
  std::vector<int64_t> waited = std::vector<int64_t>(16);
  int questions = 0;
};

TEST(TeamSize, AllTakePartAsLongAsNothingElseRuns) {
  Simulation idle(4, {0, 0.01, 0.05, 0});
  EXPECT_EQ(idle.run(5000)[4], 5000);
  EXPECT_LE(idle.questions, 101) << "the system is asked once in a window";
}

TEST(TeamSize, OneWhoseProcessorIsTakenIsLeftOut) {
  for (int threads : {2, 3, 4, 16}) {
    Simulation busy(threads, {0, 0.5});
    busy.run(10'000);
    // It tries all again, ever more rarely.
    EXPECT_GT(busy.run(10'000)[static_cast<size_t>(threads) - 1], 9700) << threads;
  }
}

TEST(TeamSize, SeveralAreLeftOutTogetherButNeverAll) {
  Simulation busy(4, {0, 0.5, 0, 0.5});
  EXPECT_GT(busy.run(2000)[2], 1600);
  Simulation crowded(4, {0.6, 0.5, 0.7, 0.5});
  EXPECT_GT(crowded.run(2000)[1], 1600);
}

TEST(TeamSize, AThreadThatGetsEnoughStays) {
  // At two threads the slower one is worth it with more than half of a processor.
  Simulation some(2, {0, 0.3});
  EXPECT_EQ(some.run(5000)[2], 5000);
}

TEST(TeamSize, AllComeBackWhenTheProcessorIsFree) {
  Simulation busy(2, {0, 0.5});
  busy.run(10'000);
  busy.share = {0, 0};
  busy.run(TeamSize::kLongestHold / kMillisecond);
  EXPECT_EQ(busy.run(1000)[2], 1000);
  // The next trouble is a new one: it is not held against it for long.
  busy.share = {0, 0.5};
  busy.run(100);
  busy.share = {0, 0};
  EXPECT_GT(busy.run(1000)[2], 700);
}

TEST(TeamSize, LongRunsAreWindowsOfTheirOwn) {
  Simulation busy(2, {0, 0.5});
  busy.run(60'000, 500);
  EXPECT_GT(busy.run(60'000, 500)[1], 40'000);
}

TEST(TeamSize, ASystemThatDoesNotSayIsAskedOnce) {
  TeamSize size(3);
  ASSERT_TRUE(size.wantsTimes());
  size.afterRun(kMillisecond, {5, -1, 5});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(size.wantsTimes());
    EXPECT_EQ(size.threads(), 3);
    size.afterRun(kMillisecond, {});
  }
}

TEST(TeamSize, TheSystemSaysHowLongAThreadWaited) {
  const int64_t before = waitedForProcessor();
  const int64_t after = waitedForProcessor();
  EXPECT_GE(after, before);
}

/// Threads that do nothing but use each processor, for its life.
class BusyProcessors {
public:
  BusyProcessors() {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
      threads.emplace_back([this] {
        while (!stop)
          ++turns;
      });
  }
  ~BusyProcessors() {
    stop = true;
    for (std::thread &thread : threads)
      thread.join();
  }

private:
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> turns{0};
  std::vector<std::thread> threads;
};

// Whatever the number of threads changes to, each run is one of all its threads, and none
// hangs. That threads were left out at all depends on the machine and is not asked.
TEST(ThreadTeamBesideOthers, EveryRunIsComplete) {
  for (int threads : {2, 3}) {
    ThreadTeamOptions options;
    options.numThreads = threads;
    options.spinPauses = 1000;
    auto team = *ThreadTeam::create(options);
    BusyProcessors others;
    std::vector<uint64_t> calls(static_cast<size_t>(threads)), sizes(calls);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < end) {
      std::fill(calls.begin(), calls.end(), 0);
      std::fill(sizes.begin(), sizes.end(), 0);
      team->run([&](uint64_t tid, uint64_t size) {
        sizes[tid] = size;
        for (int round = 0; round < 20; ++round) {
          calls[tid] += 1; // plain memory: the sanitizer sees a barrier that is none
          team->barrier(tid);
          for (uint64_t other = 0; other < size; ++other)
            EXPECT_EQ(calls[other], static_cast<uint64_t>(round) + 1);
          team->barrier(tid);
        }
      });
      const uint64_t size = sizes[0];
      ASSERT_GE(size, 1u);
      for (uint64_t tid = 0; tid < calls.size(); ++tid) {
        ASSERT_EQ(sizes[tid], tid < size ? size : 0);
        ASSERT_EQ(calls[tid], tid < size ? 20u : 0);
      }
    }
  }
}

} // namespace
