//===- CodeInspection.h - what is in a shared library ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_NUMERICS_CODEINSPECTION_H
#define QUENCH_TEST_NUMERICS_CODEINSPECTION_H

#include "Job.h"

namespace quench::numerics {

/// Names of dynamic symbols that the library takes from, or gives to, others.
std::vector<std::string> undefinedSymbols(const Bytes &library);
std::vector<std::string> exportedSymbols(const Bytes &library);

/// The mnemonics of all instructions of an x86-64 library, in order. A byte that is no
/// instruction fails the test.
std::vector<std::string> instructions(const Bytes &library);

} // namespace quench::numerics

#endif // QUENCH_TEST_NUMERICS_CODEINSPECTION_H
