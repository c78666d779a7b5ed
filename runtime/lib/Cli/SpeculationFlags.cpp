//===- SpeculationFlags.cpp - options about drafts ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SpeculationFlags.h"

#include "Errors.h"

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

SpeculationOptions SpeculationFlags::options(bool required) const {
  SpeculationOptions result;
  if (off())
    result.source = Speculation::Off;
  else if (speculate == "lookup")
    result.source = Speculation::Lookup;
  else if (!speculate.empty() || required)
    result.source = Speculation::Required;
  result.tokens = tokens;
  result.acceptance = rejects() ? AcceptanceRule::Rejection : AcceptanceRule::Match;
  return result;
}
