//===- SelfTest.h - whether compiling and running work here ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_SELFTEST_H
#define QUENCH_RT_LIB_CLI_SELFTEST_H

#include "absl/status/status.h"

#include <string>
#include <vector>

namespace qrt::cli {

struct SelfTest {
  struct Step {
    std::string name;
    double milliseconds = 0;
    absl::Status status;
  };
  std::vector<Step> steps; ///< up to the first that failed
  std::string llvm;        ///< version of the compiler's LLVM, once it has compiled

  bool passed() const { return steps.back().status.ok(); }
};

/// Compiles a program with one linear layer (Q8_0 weights, 8-bit activations), keeps the code
/// in a cache of its own, takes it from there, and runs it on all cores with numbers whose
/// results are exact.
SelfTest runSelfTest();

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_SELFTEST_H
