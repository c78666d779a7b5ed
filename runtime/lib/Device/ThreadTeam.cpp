//===- ThreadTeam.cpp - persistent threads that run one step together -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/ThreadTeam.h"

#include "Affinity.h"
#include "FloatingPoint.h"
#include "TeamSize.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstring>
#include <mutex>
#include <vector>

using namespace qrt;

namespace {

constexpr int kMaxThreads = 1024;

/// An epoch's low bits are the number of threads that take part, so that one that does not
/// knows it from the word that woke it: everything else may already be about a later task.
constexpr uint32_t kThreadBits = 11;
static_assert(kMaxThreads < 1 << kThreadBits, "a count has to fit");

using Task = absl::FunctionRef<void(uint64_t, uint64_t)>;

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
    bool pinned = false;
    int64_t waited = 0; ///< waitedForProcessor(), after a run that asks for it
  };

  uint32_t size = 1;
  bool adapt = true;
  int spinPauses = 0;
  int callerCpu = -1;
  cpu_set_t anywhere; ///< the processors that all may use
  std::vector<Worker> workers;

  std::mutex oneAtATime;
  TeamSize teamSize{1};
  std::vector<int64_t> waited;
  // Published by `epoch`, for the threads that take part:
  const Task *task = nullptr; ///< null ends the threads
  uint32_t active = 1;        ///< how many take part
  bool wantsTimes = false;

  /// A word that threads wait on to change, each on a cache line of its own.
  struct alignas(64) Signal {
    std::atomic<uint32_t> value{0};
    std::atomic<uint32_t> sleepers{0};
  };
  Signal epoch;      ///< counts tasks above the kThreadBits
  Signal generation; ///< counts barriers
  alignas(64) std::atomic<uint32_t> arrived{0};

  /// Changes the word and lets everyone go who waits for that.
  static void change(Signal &signal, uint32_t value) {
    // A thread counts itself as a sleeper before it looks at the word a last time; with
    // sequential consistency either it sees the new value or we see the sleeper.
    signal.value.store(value, std::memory_order_seq_cst);
    if (signal.sleepers.load(std::memory_order_seq_cst) != 0)
      futexWakeAll(signal.value);
  }

  /// Returns once the word is no longer `seen`, with what it then is.
  static uint32_t awaitChange(Signal &signal, uint32_t seen, int spinPauses) {
    for (int i = 0; i < spinPauses; ++i) {
      const uint32_t value = signal.value.load(std::memory_order_acquire);
      if (value != seen)
        return value;
      spinPause();
    }
    // Not sched_yield: it hands the rest of the time slice to whoever else wants the
    // processor, and with compilers running beside it a step of 120 barriers took 2600 ms
    // instead of 25. A thread that sleeps is woken ahead of them.
    signal.sleepers.fetch_add(1, std::memory_order_seq_cst);
    uint32_t value = signal.value.load(std::memory_order_seq_cst);
    for (; value == seen; value = signal.value.load(std::memory_order_seq_cst))
      futexWait(signal.value, seen);
    signal.sleepers.fetch_sub(1, std::memory_order_seq_cst);
    return value;
  }

  void publish(const Task *next, uint32_t threads) {
    task = next;
    active = threads;
    const uint32_t last = epoch.value.load(std::memory_order_relaxed) >> kThreadBits;
    change(epoch, (last + 1) << kThreadBits | threads);
  }

  void barrier() {
    // Both from before this thread is counted: the next run may begin as soon as all are.
    const uint32_t now = generation.value.load(std::memory_order_relaxed), parties = active;
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != parties) {
      awaitChange(generation, now, spinPauses);
      return;
    }
    // Nobody counts again before seeing the new generation.
    arrived.store(0, std::memory_order_relaxed);
    change(generation, now + 1);
  }

  /// Each on its processor if all take part. If not, something else is on one of these, and
  /// where the fewer threads are best is for the system to see.
  void place(Worker &worker) const {
    const bool pin = worker.cpu >= 0 && active == size;
    if (pin == worker.pinned)
      return;
    worker.pinned = pin;
    if (pin)
      pinThisThread(worker.cpu);
    else
      sched_setaffinity(0, sizeof(anywhere), &anywhere);
  }

  static void *work(void *argument) {
    auto *self = static_cast<Worker *>(argument);
    Impl &team = *self->team;
    DefaultFloatingPoint environment;
    // Threads start before the first step, so the epoch they have seen is zero.
    uint32_t seen = 0;
    int spinPauses = team.spinPauses;
    while (true) {
      seen = awaitChange(team.epoch, seen, spinPauses);
      if (self->tid >= (seen & ((1U << kThreadBits) - 1))) {
        spinPauses = 0; // it would be in the way of what took its place
        continue;
      }
      spinPauses = team.spinPauses;
      if (!team.task)
        return nullptr;
      team.place(*self);
      (*team.task)(self->tid, team.active);
      if (team.wantsTimes)
        self->waited = waitedForProcessor();
      team.barrier();
    }
  }

  void stop() {
    publish(nullptr, size);
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
  impl->teamSize = TeamSize(static_cast<int>(size));
  // A thread that spins while another waits for its processor only delays both.
  bool crowded = size > usable.order.size();
  impl->spinPauses = crowded ? 0 : options.spinPauses;
  impl->adapt = options.adapt && !crowded &&
                sched_getaffinity(0, sizeof(impl->anywhere), &impl->anywhere) == 0;
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

void ThreadTeam::run(absl::FunctionRef<void(uint64_t tid, uint64_t size)> task) {
  std::lock_guard<std::mutex> lock(impl->oneAtATime);
  DefaultFloatingPoint environment;
  if (impl->size == 1)
    return task(0, 1);
  const uint32_t threads =
      impl->adapt ? static_cast<uint32_t>(impl->teamSize.threads()) : impl->size;
  impl->wantsTimes = impl->adapt && impl->teamSize.wantsTimes();
  const auto start = std::chrono::steady_clock::now();
  ScopedPin pin(threads == impl->size ? impl->callerCpu : -1);
  if (threads > 1)
    impl->publish(&task, threads);
  else
    impl->active = 1;
  task(0, threads);
  impl->barrier();
  if (!impl->adapt)
    return;
  impl->waited.clear();
  if (impl->wantsTimes) {
    impl->waited.push_back(waitedForProcessor());
    for (uint32_t i = 1; i < threads; ++i)
      impl->waited.push_back(impl->workers[i - 1].waited);
  }
  const std::chrono::nanoseconds duration = std::chrono::steady_clock::now() - start;
  impl->teamSize.afterRun(duration.count(), impl->waited);
}

void ThreadTeam::barrier(uint64_t) {
  if (impl->size > 1)
    impl->barrier();
}
