//===- ThreadTeam.cpp - persistent threads that run one step together -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/ThreadTeam.h"

#include "Affinity.h"
#include "FloatingPoint.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <mutex>
#include <vector>

using namespace qrt;

namespace {

constexpr int kMaxThreads = 1024;

using Task = absl::FunctionRef<void(uint64_t)>;

void spinPause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb"); // about as long as the pause of x86; `yield` is a no-op
#endif
}

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t),
              "the kernel reads the word of a futex as it is");

void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr,
          nullptr, 0);
}

void futexWakeAll(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

} // namespace

struct ThreadTeam::Impl {
  struct Worker {
    Impl *team;
    uint64_t tid;
    int cpu; ///< -1: anywhere
    pthread_t handle;
  };

  uint32_t size = 1;
  int spinPauses = 0;
  int callerCpu = -1;
  std::vector<Worker> workers;

  std::mutex oneAtATime;
  const Task *task = nullptr; ///< null ends the threads; published by `epoch`

  /// A word that threads wait on to change, each on a cache line of its own.
  struct alignas(64) Signal {
    std::atomic<uint32_t> value{0};
    std::atomic<uint32_t> sleepers{0};
  };
  Signal epoch;      ///< counts tasks
  Signal generation; ///< counts barriers
  alignas(64) std::atomic<uint32_t> arrived{0};

  /// Raises the word by one and lets everyone go who waits for that.
  static void raise(Signal &signal) {
    // A thread counts itself as a sleeper before it looks at the word a last time; with
    // sequential consistency either it sees the new value or we see the sleeper.
    signal.value.fetch_add(1, std::memory_order_seq_cst);
    if (signal.sleepers.load(std::memory_order_seq_cst) != 0)
      futexWakeAll(signal.value);
  }

  /// Returns once the word is no longer `seen`.
  void awaitChange(Signal &signal, uint32_t seen) const {
    for (int i = 0; i < spinPauses; ++i) {
      if (signal.value.load(std::memory_order_acquire) != seen)
        return;
      spinPause();
    }
    // Not sched_yield: it hands the rest of the time slice to whoever else wants the
    // processor, and with compilers running beside it a step of 120 barriers took 2600 ms
    // instead of 25. A thread that sleeps is woken ahead of them.
    signal.sleepers.fetch_add(1, std::memory_order_seq_cst);
    while (signal.value.load(std::memory_order_seq_cst) == seen)
      futexWait(signal.value, seen);
    signal.sleepers.fetch_sub(1, std::memory_order_seq_cst);
  }

  void publish(const Task *next) {
    task = next;
    raise(epoch);
  }

  void barrier() {
    const uint32_t now = generation.value.load(std::memory_order_relaxed);
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != size)
      return awaitChange(generation, now);
    // Nobody counts again before seeing the new generation.
    arrived.store(0, std::memory_order_relaxed);
    raise(generation);
  }

  static void *work(void *argument) {
    auto *self = static_cast<Worker *>(argument);
    Impl &team = *self->team;
    if (self->cpu >= 0)
      pinThisThread(self->cpu);
    DefaultFloatingPoint environment;
    // Threads start before the first step, so the epoch they have seen is zero.
    for (uint32_t seen = 0;; ++seen) {
      team.awaitChange(team.epoch, seen);
      if (!team.task)
        return nullptr;
      (*team.task)(self->tid);
      team.barrier();
    }
  }

  void stop() {
    publish(nullptr);
    for (Worker &worker : workers)
      pthread_join(worker.handle, nullptr);
  }
};

ThreadTeam::ThreadTeam(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}

ThreadTeam::~ThreadTeam() { impl->stop(); }

absl::StatusOr<std::unique_ptr<ThreadTeam>> ThreadTeam::create(const ThreadTeamOptions &options) {
  if (options.numThreads < 0 || options.numThreads > kMaxThreads)
    return absl::InvalidArgumentError(absl::StrCat("thread count ", options.numThreads,
                                                   " is not possible: expected 1 to ", kMaxThreads,
                                                   ", or 0 for one thread on each core"));
  UsableCpus usable = usableCpus();
  size_t size = options.numThreads ? options.numThreads : std::max(1, usable.cores);

  auto impl = std::make_unique<Impl>();
  impl->size = static_cast<uint32_t>(size);
  // A thread that spins while another waits for its processor only delays both.
  bool crowded = size > usable.order.size();
  impl->spinPauses = crowded ? 0 : options.spinPauses;
  std::vector<int> cpus;
  if (options.pin && size > 1 && !crowded)
    cpus = startingHere(std::move(usable.order));
  cpus.resize(size, -1);
  impl->callerCpu = cpus[0];

  // The threads keep pointers to their elements, so the vector must not grow.
  impl->workers.reserve(size);
  for (uint64_t tid = 1; tid < size; ++tid) {
    impl->workers.push_back({impl.get(), tid, cpus[tid], {}});
    Impl::Worker &worker = impl->workers.back();
    if (int error = pthread_create(&worker.handle, nullptr, Impl::work, &worker)) {
      impl->workers.pop_back();
      impl->stop();
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot start thread ", tid + 1, " of ", size, ": ", std::strerror(error)));
    }
  }
  return std::unique_ptr<ThreadTeam>(new ThreadTeam(std::move(impl)));
}

int ThreadTeam::size() const { return static_cast<int>(impl->size); }

void ThreadTeam::run(absl::FunctionRef<void(uint64_t tid)> task) {
  std::lock_guard<std::mutex> lock(impl->oneAtATime);
  DefaultFloatingPoint environment;
  if (impl->size == 1)
    return task(0);
  ScopedPin pin(impl->callerCpu);
  impl->publish(&task);
  task(0);
  impl->barrier();
}

void ThreadTeam::barrier(uint64_t) {
  if (impl->size > 1)
    impl->barrier();
}
