//===- Measurements.h - median and deviation of repeated timings ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_MEASUREMENTS_H
#define QUENCH_RT_LIB_CLI_MEASUREMENTS_H

#include <algorithm>
#include <cmath>
#include <vector>

namespace qrt::cli {

/// What was measured once in each repetition.
class Measurements {
public:
  void add(double value) { values.push_back(value); }

  /// 0 if nothing was measured.
  double median() const {
    if (values.empty())
      return 0;
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    size_t middle = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /// Standard deviation of the sample; 0 for fewer than two values.
  double deviation() const {
    if (values.size() < 2)
      return 0;
    double mean = 0, squares = 0;
    for (double value : values)
      mean += value;
    mean /= static_cast<double>(values.size());
    for (double value : values)
      squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
  }

private:
  std::vector<double> values;
};

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_MEASUREMENTS_H
