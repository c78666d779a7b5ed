//===- Drafting.cpp - where the drafts of a generation come from ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/Drafting.h"

#include "quench-rt/Decode/PromptLookup.h"
#include "quench-rt/Support/Errors.h"

#include "absl/strings/str_cat.h"

using namespace qrt;

absl::StatusOr<Drafting> qrt::chooseDraft(const Session &session, const std::string &model,
                                          const SpeculationOptions &options) {
  const bool rejects = options.acceptance == AcceptanceRule::Rejection;
  Drafting result;
  result.options.tokens = options.tokens;
  result.options.acceptance = options.acceptance;
  if (options.source == Speculation::Off)
    return result;
  if (!session.maxDraft()) {
    if (options.source == Speculation::Automatic)
      return result;
    return absl::FailedPreconditionError(absl::StrCat(
        model, ": the program has no draft-and-verify entry point, expected --speculate off"));
  }
  result.options.source = session.draftModel();
  if (result.options.source && options.source == Speculation::Lookup)
    return absl::FailedPreconditionError(
        absl::StrCat(model, ": the program was compiled with a draft model, expected --speculate "
                            "off or no such option"));
  if (!result.options.source && rejects)
    return usageError("--acceptance rejection is for tokens that a draft model sampled, expected "
                      "--speculate draft=MODEL as well");
  if (!result.options.source) {
    result.owned = std::make_unique<PromptLookup>();
    result.options.source = result.owned.get();
  }
  return result;
}
