//===- Vocabulary.cpp - checks of what a model file says -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/Vocabulary.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace qrt;

absl::Status qrt::checkSameTokens(const Vocabulary &target, const Vocabulary &draft) {
  const size_t common = std::min(target.tokens.size(), draft.tokens.size());
  for (size_t id = 0; id < common; ++id)
    if (draft.tokens[id] != target.tokens[id])
      return absl::InvalidArgumentError(
          absl::StrCat("another vocabulary: token ", id, " is ", qrt::quoted(draft.tokens[id]),
                       ", expected ", qrt::quoted(target.tokens[id]), " as in the target"));
  if (target.tokens.size() == draft.tokens.size())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("another vocabulary: has ", draft.tokens.size(),
                                                 " tokens, expected ", target.tokens.size(),
                                                 " as in the target"));
}

absl::Status qrt::checkVocabulary(const Vocabulary &vocabulary) {
  const size_t size = vocabulary.tokens.size();
  if (size == 0)
    return absl::InvalidArgumentError("the vocabulary has no tokens");
  constexpr size_t limit = std::numeric_limits<int32_t>::max();
  if (size > limit || vocabulary.merges.size() > limit)
    return absl::InvalidArgumentError(absl::StrCat("the vocabulary has ", size, " tokens and ",
                                                   vocabulary.merges.size(), " merges; at most ",
                                                   limit, " of each are possible"));

  if (!vocabulary.types.empty() && vocabulary.types.size() != size)
    return absl::InvalidArgumentError(absl::StrCat("the vocabulary has ", size, " tokens but ",
                                                   vocabulary.types.size(),
                                                   " token types; expected as many, or none"));
  for (size_t id = 0; id < vocabulary.types.size(); ++id)
    if (const int32_t type = vocabulary.types[id]; type < static_cast<int32_t>(TokenType::Normal) ||
                                                   type > static_cast<int32_t>(TokenType::Byte))
      return absl::InvalidArgumentError(
          absl::StrCat("token ", id, " has the type ", type, "; expected 1 to 6"));

  if (!vocabulary.scores.empty() && vocabulary.scores.size() != size)
    return absl::InvalidArgumentError(absl::StrCat("the vocabulary has ", size, " tokens but ",
                                                   vocabulary.scores.size(),
                                                   " scores; expected as many, or none"));
  for (size_t id = 0; id < vocabulary.scores.size(); ++id)
    if (!std::isfinite(vocabulary.scores[id]))
      return absl::InvalidArgumentError(absl::StrCat(
          "token ", id, " has the score ", vocabulary.scores[id], "; expected a finite number"));

  const auto checkId = [&](absl::string_view role, int32_t id, int32_t lowest) {
    if (id >= lowest && (id < 0 || static_cast<size_t>(id) < size))
      return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("the id of the ", role, " token is ", id,
                                                   "; expected 0 to ", size - 1,
                                                   lowest < 0 ? ", or -1 for none" : ""));
  };
  const struct {
    absl::string_view role;
    int32_t id;
  } roles[] = {{"beginning-of-text", vocabulary.bos},
               {"end-of-text", vocabulary.eos},
               {"unknown", vocabulary.unk},
               {"padding", vocabulary.pad}};
  for (const auto &[role, id] : roles)
    QRT_RETURN_IF_ERROR(checkId(role, id, -1));
  for (int32_t id : vocabulary.eog)
    QRT_RETURN_IF_ERROR(checkId("end-of-generation", id, 0));

  if (vocabulary.addBos && vocabulary.bos < 0)
    return absl::InvalidArgumentError(
        "the vocabulary asks for a beginning-of-text token but names none");
  if (vocabulary.addEos && vocabulary.eos < 0)
    return absl::InvalidArgumentError(
        "the vocabulary asks for an end-of-text token but names none");
  return absl::OkStatus();
}
