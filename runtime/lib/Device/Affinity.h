//===- Affinity.h - on which processors threads run -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_DEVICE_AFFINITY_H
#define QUENCH_RT_LIB_DEVICE_AFFINITY_H

#include <sched.h>

#include <vector>

namespace qrt {

/// Processors that the calling thread may use, best first: one hardware thread of
/// each core, then the rest. Empty if the system does not say.
struct UsableCpus {
  std::vector<int> order;
  int cores = 0; ///< how many of the first are cores of their own
};
UsableCpus usableCpus();

/// `order` turned so that it starts with the processor the caller runs on: teams of
/// several processes then do not all begin with the same one.
std::vector<int> startingHere(std::vector<int> order);

/// Ties the calling thread to one processor. Not being allowed to is not an error.
void pinThisThread(int cpu);

/// Pins the calling thread and gives it back its processors at the end.
class ScopedPin {
public:
  /// A negative `cpu` leaves the thread alone.
  explicit ScopedPin(int cpu);
  ~ScopedPin();
  ScopedPin(const ScopedPin &) = delete;
  ScopedPin &operator=(const ScopedPin &) = delete;

private:
  bool restore = false;
  cpu_set_t before;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_DEVICE_AFFINITY_H
