//===- Affinity.cpp - on which processors threads run ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Affinity.h"

#include "quench-rt/Device/ThreadTeam.h"

#include <algorithm>
#include <fstream>
#include <string>

using namespace qrt;

/// The lowest processor number of the core that `cpu` belongs to; `cpu` itself where
/// the system does not say.
static int firstOfCore(int cpu) {
  std::string path =
      "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
  // The list, such as "3,67" or "6-7", is in ascending order.
  int first = cpu;
  std::ifstream file(path);
  return file >> first ? first : cpu;
}

UsableCpus qrt::usableCpus() {
  UsableCpus result;
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0)
    return result;
  std::vector<int> seen, siblings;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mask))
      continue;
    int core = firstOfCore(cpu);
    if (std::find(seen.begin(), seen.end(), core) != seen.end()) {
      siblings.push_back(cpu);
      continue;
    }
    seen.push_back(core);
    result.order.push_back(cpu);
  }
  result.cores = static_cast<int>(result.order.size());
  result.order.insert(result.order.end(), siblings.begin(), siblings.end());
  return result;
}

std::vector<int> qrt::startingHere(std::vector<int> order) {
  auto here = std::find(order.begin(), order.end(), sched_getcpu());
  if (here != order.end())
    std::rotate(order.begin(), here, order.end());
  return order;
}

void qrt::pinThisThread(int cpu) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  sched_setaffinity(0, sizeof(mask), &mask);
}

ScopedPin::ScopedPin(int cpu) {
  if (cpu < 0 || sched_getaffinity(0, sizeof(before), &before) != 0)
    return;
  restore = true;
  pinThisThread(cpu);
}

ScopedPin::~ScopedPin() {
  if (restore)
    sched_setaffinity(0, sizeof(before), &before);
}

int qrt::numUsableCores() { return std::max(1, usableCpus().cores); }
