//===- Trace.h - what each layer computed ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A program that quench-add-trace has been over returns what its layers compute. Two traces
// of the same tokens show where two ways of computing part.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_TRACE_H
#define QUENCH_RT_DECODE_TRACE_H

#include "quench-rt/Program/Executable.h"

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt {

struct TracedTensor {
  std::string name;
  int64_t columns = 0;
  std::vector<float> values; ///< one row for each token
};

using Trace = std::vector<TracedTensor>; ///< in the order of computation

/// Runs the entry `trace` on the tokens. FailedPrecondition if the program has none,
/// InvalidArgument for ids outside of the vocabulary, which is as wide as the last traced
/// tensor.
absl::StatusOr<Trace> runTrace(const Executable &executable, absl::Span<const int32_t> tokens);

struct Difference {
  std::string name;
  double largest = 0; ///< absolute value in the first trace
  double most = 0;    ///< difference of two values; infinity if only one of them is finite
  int64_t row = 0;    ///< where it is
  int64_t column = 0;
  bool sameBits = false;

  /// Whether they differ by more than this part of the largest value; with 0, at all.
  bool exceeds(double tolerance) const {
    return tolerance == 0 ? !sameBits : !(most <= tolerance * largest);
  }
};

/// Of each tensor, in the order of `first`. InvalidArgument, naming the tensor, if one is
/// missing in `second` or has another shape; tensors that only `second` has are passed
/// over.
absl::StatusOr<std::vector<Difference>> compareTraces(const Trace &first, const Trace &second);

} // namespace qrt

#endif // QUENCH_RT_DECODE_TRACE_H
