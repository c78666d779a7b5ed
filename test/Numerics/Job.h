//===- Job.h - calls of a compiled library, as data ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job lists weights and calls of entry points with their inputs; running it gives
// the results of every call and the caches at the end. The tests run jobs through the
// runtime, the harness for other machines through nothing but the ABI, so that both
// do the same.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_NUMERICS_JOB_H
#define QUENCH_TEST_NUMERICS_JOB_H

#include "Reference/Reference.h"
#include "quench-rt/abi.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace quench::numerics {

using Bytes = std::vector<uint8_t>;

/// A dense array of any element type.
struct Array {
  std::vector<int64_t> dims;
  Bytes bytes;
};

/// An array, or (if `cache` is not negative) one of the job's caches.
struct Argument {
  Array array;
  int64_t cache = -1;
  int64_t capacity = 0; ///< of the cache, in positions, at this call
};

struct Call {
  std::string entry;
  std::vector<Argument> arguments;
};

/// A cache starts empty, every byte of its pages being `fill`: 0xff makes NaN of every
/// element that nobody has written. Its geometry is that of the first entry it goes to.
struct CacheState {
  int64_t pages = 0;
  uint8_t fill = 0xff;
};

struct Job {
  std::map<std::string, reference::Weight> weights; ///< by key
  std::vector<CacheState> caches;
  std::vector<Call> calls;
};

struct Outcome {
  std::vector<std::vector<Array>> results; ///< of each call
  std::vector<int64_t> lengths;            ///< of each cache, then
  std::vector<Bytes> pages;                ///< its pages one after another
};

/// What a job needs to know of a library, from its descriptor.
struct LibraryShape {
  struct Arg {
    enum Kind { Tensor, Scalar, Cache } kind = Tensor;
    int64_t elementBytes = 4;
    std::vector<int64_t> dims; ///< −1: known at the call
    int64_t pageBytes = 0;     ///< of a cache
  };
  struct Entry {
    std::string name;
    std::vector<Arg> args, results;
  };
  struct WeightUse {
    std::string key;
    std::string layout;
    int64_t bytes = 0; ///< packed
  };
  int64_t maxRows = 0;
  int64_t workspaceBytes = 0, threadWorkspaceBytes = 0;
  std::vector<Entry> entries;
  std::vector<WeightUse> weights;

  /// Its index; −1 if there is none of this name.
  int64_t find(const std::string &name) const;
};

/// Reads descriptor text; the process ends with a message if it is not as expected.
LibraryShape readDescriptor(const std::string &text);

/// Packs the job's weights as the library wants them. Elements stay where they are.
std::vector<Bytes> packWeights(const LibraryShape &library, const Job &job);

/// Runs entry `index` of the library with the ABI's arguments.
using RunEntry = std::function<void(size_t index, std::vector<qrt_tensor> &args)>;
Outcome runJob(const LibraryShape &library, const Job &job, const RunEntry &run);

/// As a file, for a process on another machine.
Bytes serialize(const Job &job);
Job parseJob(const Bytes &bytes);
Bytes serialize(const Outcome &outcome);
Outcome parseOutcome(const Bytes &bytes);

} // namespace quench::numerics

#endif // QUENCH_TEST_NUMERICS_JOB_H
