//===- Stopwatch.h - how long something takes -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_STOPWATCH_H
#define QUENCH_RT_SUPPORT_STOPWATCH_H

#include <chrono>

namespace qrt {

/// Milliseconds since its construction.
class Stopwatch {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_STOPWATCH_H
