//===- Speculator.cpp - whole generations ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Speculator.h"

#include "quench-rt/Support/Status.h"

using namespace qrt;

absl::StatusOr<Generation> Speculator::generate(absl::Span<const int32_t> prompt,
                                                const GenerateOptions &options) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Generator> generator,
                       Generator::begin(session, prompt, options));
  for (bool more = true; more;) {
    QRT_ASSIGN_OR_RETURN(more, generator->step());
  }
  return generator->takeResult();
}
