//===- Compiled.h - compiling and running jobs -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_NUMERICS_COMPILED_H
#define QUENCH_TEST_NUMERICS_COMPILED_H

#include "Job.h"

#include <memory>
#include <string>
#include <vector>

namespace qrt {
class Device;
class Executable;
} // namespace qrt

namespace quench::numerics {

/// What code is generated for.
enum class Target {
  Native,   ///< this machine, tuned tile
  Portable, ///< this machine, the tile's expansion
  Baseline, ///< x86-64-v2: no AVX, FMA, F16C
  Arm,      ///< AArch64, any
  ArmHalf,  ///< AArch64 that calculates in f16 (Neoverse N1)
};
std::string targetName(Target target);

/// Whether the target has a fused multiply-add.
bool isFused(Target target);

struct Library {
  Bytes code;
  std::string intermediate; ///< LLVM IR, if asked for
  double milliseconds = 0.0;
};

/// Compiles the text of a module. With an error the library is empty and the test has
/// failed.
Library compile(const std::string &text, Target target, bool keepIntermediate = false);

/// A library in this process, on a team of threads.
class Native {
public:
  Native(const Library &library, const Job &job, int threads);
  ~Native();

  Outcome run(const Job &job) const;
  const LibraryShape &shape() const { return description; }
  const qrt::Executable &executable() const { return *loaded; }

private:
  std::unique_ptr<qrt::Executable> loaded;
  LibraryShape description;
};

/// Runs a job on an emulated AArch64.
Outcome runOnArm(const Library &library, const Job &job);

} // namespace quench::numerics

#endif // QUENCH_TEST_NUMERICS_COMPILED_H
