//===- Output.h - results on standard output, progress on standard error --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_OUTPUT_H
#define QUENCH_RT_LIB_CLI_OUTPUT_H

#include "quench-rt/Support/Stopwatch.h"

#include "absl/strings/string_view.h"

#include "nlohmann/json.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qrt::cli {

/// Members keep the order in which they are added.
using Json = nlohmann::ordered_json;

/// Bytes to standard output; a failure shows when the command ends.
void print(absl::string_view text);

/// The one object of `--json`, on one line. Bytes that are not UTF-8 become U+FFFD.
void printJson(const Json &object);

/// Columns padded to the widest cell, two spaces apart; the first row is the heading.
/// Cells that look like numbers are aligned to the right.
std::string formatTable(const std::vector<std::vector<std::string>> &rows);

/// A line on standard error that is rewritten in place. Silent unless standard error is a
/// terminal.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// For work of known length; `total` is positive. At most ten lines a second reach the
  /// terminal.
  void update(uint64_t done, uint64_t total);

private:
  void show(absl::string_view text);

  std::string what;
  std::chrono::steady_clock::time_point last;
  bool active;
};

/// Since the program was loaded.
double millisecondsSinceStart();

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_OUTPUT_H
