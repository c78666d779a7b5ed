//===- Drafting.h - where the drafts of a generation come from ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_DRAFTING_H
#define QUENCH_RT_MODEL_DRAFTING_H

#include "quench-rt/Decode/DraftSource.h"
#include "quench-rt/Decode/Generator.h"
#include "quench-rt/Decode/Session.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>
#include <string>

namespace qrt {

enum class Speculation : uint8_t {
  Automatic, ///< what the program was compiled for; nothing if it cannot speculate
  Required,  ///< the same, but a program that cannot is an error
  Lookup,    ///< earlier text; an error if the program cannot
  Off,
};

/// See DraftOptions.
struct SpeculationOptions {
  Speculation source = Speculation::Automatic;
  int64_t tokens = 4;
  AcceptanceRule acceptance = AcceptanceRule::Match;
};

struct Drafting {
  std::unique_ptr<DraftSource> owned; ///< null if the source is the session's
  DraftOptions options;               ///< no source means plain decoding
};

/// `model` is for messages, which name options as quench-run has them.
absl::StatusOr<Drafting> chooseDraft(const Session &session, const std::string &model,
                                     const SpeculationOptions &options);

} // namespace qrt

#endif // QUENCH_RT_MODEL_DRAFTING_H
