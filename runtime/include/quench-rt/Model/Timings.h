//===- Timings.h - where the time of loading went -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_TIMINGS_H
#define QUENCH_RT_MODEL_TIMINGS_H

#include "nlohmann/json_fwd.hpp"

#include <string>
#include <utility>
#include <vector>

namespace qrt {

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

} // namespace qrt

#endif // QUENCH_RT_MODEL_TIMINGS_H
