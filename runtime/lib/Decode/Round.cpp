//===- Round.cpp - one draft and one verify, fused or sampled -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Round.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

using namespace qrt;

absl::StatusOr<Emitted> qrt::fusedRound(Session &session, int32_t pending, int64_t limit,
                                        DraftSource *source) {
  Session::Round round;
  if (source) {
    QRT_ASSIGN_OR_RETURN(round, session.round(pending, limit, *source));
  } else {
    QRT_ASSIGN_OR_RETURN(round.emitted, session.greedy({&pending, 1}));
  }
  Emitted emitted;
  emitted.drafted = round.drafted;
  emitted.accepted = round.accepted;
  for (size_t i = 0; i < round.emitted.ids.size(); ++i)
    emitted.tokens.push_back({round.emitted.ids[i], round.emitted.logits[i], {}});
  return emitted;
}

absl::StatusOr<Emitted> qrt::sampledRound(Session &session, int32_t pending, int64_t limit,
                                          DraftSource *source, Sampler &sampler) {
  std::vector<int32_t> tokens(static_cast<size_t>(1 + limit), pending);
  Emitted emitted;
  if (source) {
    emitted.drafted = proposeTokens(*source, {&pending, 1}, absl::MakeSpan(tokens).subspan(1),
                                    session.vocabularySize());
    QRT_RETURN_IF_ERROR(source->status());
  }
  tokens.resize(static_cast<size_t>(1 + emitted.drafted));
  const int64_t before = session.length();
  QRT_ASSIGN_OR_RETURN(absl::Span<const float> logits, session.logits(tokens));
  const auto width = static_cast<size_t>(session.vocabularySize());
  for (size_t row = 0; row < tokens.size(); ++row) {
    absl::StatusOr<SampledToken> token = sampler.sample(logits.subspan(row * width, width));
    if (!token.ok())
      return absl::Status(token.status().code(), absl::StrCat("the program's entry 'logits', row ",
                                                              row, ": ", token.status().message()));
    sampler.append(token->id);
    emitted.tokens.push_back(*std::move(token));
    if (row + 1 == tokens.size() || tokens[row + 1] != emitted.tokens.back().id)
      break;
  }
  emitted.accepted = static_cast<int64_t>(emitted.tokens.size()) - 1;
  QRT_RETURN_IF_ERROR(session.truncate(before + 1 + emitted.accepted));
  return emitted;
}
