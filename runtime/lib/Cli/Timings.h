//===- Timings.h - what --timings shows -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_TIMINGS_H
#define QUENCH_RT_LIB_CLI_TIMINGS_H

#include "Output.h"

#include <string>
#include <utility>
#include <vector>

namespace qrt::cli {

/// Milliseconds of each stage in order. A model that had to be compiled has the
/// compiler's stages and kernels as well ("cold"); otherwise both are empty ("warm").
struct Timings {
  using List = std::vector<std::pair<std::string, double>>;

  List stages;
  List compilerStages;
  List kernels;
  double firstToken = 0; ///< from the start of the program; 0: no token was generated

  bool isCold() const { return !compilerStages.empty(); }

  /// Takes `stages` and `kernels` out of a response of the compiler.
  void addCompilerResponse(const nlohmann::json &response);
};

/// {"start": "cold" or "warm", "stages": [{name, milliseconds}], "compiler": […],
/// "kernels": […], "first_token": milliseconds}.
Json timingsAsJson(const Timings &timings);

/// A table for people.
std::string timingsAsText(const Timings &timings);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_TIMINGS_H
