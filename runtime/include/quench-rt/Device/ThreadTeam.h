//===- ThreadTeam.h - persistent threads that run one step together -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A step of a model is a hundred short stretches with a barrier after each, so what
// counts is the time from the last arrival at a barrier to everyone's departure. The
// threads therefore spin, at a barrier as between two steps. After a few thousand pauses,
// longer than a caller takes between two steps of a decode, a thread sleeps on a futex.
// With more threads than processors they sleep at once.
//
// A thread that shares its processor with another program holds up all others at every
// barrier. A run may therefore have fewer threads than the team: those that get enough of
// a processor (see lib/Device/TeamSize.h).
//
// The barrier is a counter and a generation number on cache lines of their own: the
// last to arrive resets the counter and starts the next generation, for which the
// others wait.
//
// Every thread computes in the default floating-point environment: round to nearest,
// subnormal numbers kept, no traps. Numbers must not depend on what the caller or
// another library has set. The caller's own environment is restored afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DEVICE_THREADTEAM_H
#define QUENCH_RT_DEVICE_THREADTEAM_H

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>

namespace qrt {

struct ThreadTeamOptions {
  /// Threads including the caller's; 0 takes one for each core that this process may
  /// use. At most 1024.
  int numThreads = 0;
  /// Ties each thread to a processor of its own while a step runs (the caller's thread
  /// is freed afterwards). Done only with two threads or more and no more threads than
  /// processors, and only as far as the system allows it.
  bool pin = true;
  /// Leaves threads out of a run that would make it slower, since something else is using
  /// their processors. Not with more threads than processors.
  bool adapt = true;
  /// Pauses of about 40 cycles before a waiting thread sleeps.
  int spinPauses = 4000;
};

class ThreadTeam {
public:
  /// InvalidArgument for an impossible count, ResourceExhausted if a thread cannot be
  /// started.
  static absl::StatusOr<std::unique_ptr<ThreadTeam>> create(const ThreadTeamOptions &options);

  /// Waits for the threads to end. No run may be in progress.
  ~ThreadTeam();

  int size() const;

  /// Calls `task(tid, threads)` once on each of the threads that take part, `tid` being 0 on
  /// the caller's and below `threads` on all, and returns when all have returned. Without
  /// ThreadTeamOptions::adapt all of size() take part. What the caller wrote before is visible to
  /// the threads, what they wrote is visible to it afterwards. Calls from several threads wait for
  /// each other; `task` must not call run itself.
  void run(absl::FunctionRef<void(uint64_t tid, uint64_t threads)> task);

  /// Inside a task: returns when every thread that takes part has called it. Memory
  /// written by any thread before is visible to all after.
  void barrier(uint64_t tid);

private:
  struct Impl;
  explicit ThreadTeam(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// The number of cores this process may use: processors of its affinity mask, counting
/// the hardware threads of one core once. At least 1.
int numUsableCores();

} // namespace qrt

#endif // QUENCH_RT_DEVICE_THREADTEAM_H
