//===- SpeculationFlags.cpp - options about drafts ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SpeculationFlags.h"

#include "Errors.h"

#include "quench-rt/Decode/PromptLookup.h"
#include "quench-rt/Limits.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

using namespace qrt;
using namespace qrt::cli;

static constexpr absl::string_view kDraftEquals = "draft=";

void SpeculationFlags::addTo(Command &command) {
  command.text("--speculate", "SOURCE", speculate,
               "Where drafts come from: lookup (earlier text; the default), draft=MODEL (a smaller "
               "model with the same vocabulary) or off. Drafts change the speed only");
  const std::string help =
      absl::StrCat("The most tokens drafted at a time, 0 to ", kMaxDraft, " (default: 4)");
  command.integer("--draft-tokens", "K", tokens, 0, kMaxDraft, help.c_str());
  command.choice("--acceptance", "RULE", rule, {"match", "rejection"},
                 "With a temperature, a drafted token is accepted if the model samples the same "
                 "(match, the default: drafts change the speed only) or by rejection sampling of a "
                 "draft model's samples (more are accepted; another text, as likely)");
}

absl::Status SpeculationFlags::read(ModelOptions &model, const SamplingOptions &sampling) const {
  if (rejects() && (speculate == "lookup" || off()))
    return usageError(absl::StrCat("--acceptance rejection: found --speculate ", speculate,
                                   ", which samples no tokens; expected --speculate draft=MODEL"));
  if (rejects() && sampling.temperature == 0)
    printNote("--acceptance has no effect without a temperature (--temp T)");
  if (speculate.empty() || speculate == "lookup" || speculate == "off")
    return absl::OkStatus();
  absl::string_view value = speculate;
  if (absl::ConsumePrefix(&value, kDraftEquals) && !value.empty()) {
    model.draft = std::string(value);
    return absl::OkStatus();
  }
  return usageError(absl::StrCat("--speculate: found ", qrt::quoted(speculate),
                                 ", expected lookup, draft=MODEL or off"));
}

absl::StatusOr<Drafting> SpeculationFlags::drafting(const Session &session,
                                                    const std::string &model, bool required) const {
  Drafting result;
  result.options.tokens = tokens;
  result.options.acceptance = rejects() ? AcceptanceRule::Rejection : AcceptanceRule::Match;
  if (off())
    return result;
  if (!session.maxDraft()) {
    if (speculate.empty() && !required)
      return result;
    return absl::FailedPreconditionError(absl::StrCat(
        model, ": the program has no draft-and-verify entry point, expected --speculate off"));
  }
  result.options.source = session.draftModel();
  if (result.options.source && speculate == "lookup")
    return absl::FailedPreconditionError(
        absl::StrCat(model, ": the program was compiled with a draft model, expected --speculate "
                            "off or no such option"));
  if (!result.options.source && rejects())
    return usageError("--acceptance rejection is for tokens that a draft model sampled, expected "
                      "--speculate draft=MODEL as well");
  if (!result.options.source) {
    result.owned = std::make_unique<PromptLookup>();
    result.options.source = result.owned.get();
  }
  return result;
}
