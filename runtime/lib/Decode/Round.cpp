//===- Round.cpp - one draft and one verify --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Round.h"

#include "quench-rt/Decode/RejectionSampling.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <utility>

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

namespace {
/// Pending token and candidates in one step, then a choice for each row while the
/// candidates are right.
class Verification {
public:
  Verification(Session &session, Sampler &sampler) : session(session), sampler(sampler) {}

  absl::Status run(absl::Span<const int32_t> tokens) {
    before = session.length();
    QRT_ASSIGN_OR_RETURN(logits, session.logits(tokens));
    emitted.drafted = static_cast<int64_t>(tokens.size()) - 1;
    return absl::OkStatus();
  }

  /// Of the next row.
  absl::Span<const float> row() const {
    const auto width = static_cast<size_t>(session.vocabularySize());
    return logits.subspan(emitted.tokens.size() * width, width);
  }

  void emit(SampledToken token) {
    sampler.append(token.id);
    emitted.tokens.push_back(std::move(token));
  }

  absl::Status inRow(const absl::Status &status) const {
    return absl::Status(status.code(), absl::StrCat("the program's entry 'logits', row ",
                                                    emitted.tokens.size(), ": ", status.message()));
  }

  absl::StatusOr<Emitted> finish() {
    emitted.accepted = static_cast<int64_t>(emitted.tokens.size()) - 1;
    QRT_RETURN_IF_ERROR(session.truncate(before + 1 + emitted.accepted));
    return std::move(emitted);
  }

private:
  Session &session;
  Sampler &sampler;
  Emitted emitted;
  int64_t before = 0;
  absl::Span<const float> logits;
};
} // namespace

absl::StatusOr<Emitted> qrt::sampledRound(Session &session, int32_t pending, int64_t limit,
                                          DraftSource *source, Sampler &sampler) {
  std::vector<int32_t> tokens(static_cast<size_t>(1 + limit), pending);
  int64_t drafted = 0;
  if (source) {
    drafted = proposeTokens(*source, {&pending, 1}, absl::MakeSpan(tokens).subspan(1),
                            session.vocabularySize());
    QRT_RETURN_IF_ERROR(source->status());
  }
  tokens.resize(static_cast<size_t>(1 + drafted));
  Verification verification(session, sampler);
  QRT_RETURN_IF_ERROR(verification.run(tokens));
  for (size_t row = 0; row < tokens.size(); ++row) {
    absl::StatusOr<SampledToken> token = sampler.sample(verification.row());
    if (!token.ok())
      return verification.inRow(token.status());
    const bool right = row + 1 < tokens.size() && tokens[row + 1] == token->id;
    verification.emit(*std::move(token));
    if (!right)
      break;
  }
  return verification.finish();
}

absl::StatusOr<Emitted> qrt::rejectionRound(Session &session, int32_t pending, int64_t limit,
                                            StochasticSource &source, Sampler &sampler,
                                            Sampler &drafting) {
  drafting.follow(sampler);
  QRT_ASSIGN_OR_RETURN(std::vector<Proposal> proposals, source.draw(drafting, limit));
  std::vector<int32_t> tokens = {pending};
  for (const Proposal &proposal : proposals)
    tokens.push_back(proposal.token);
  Verification verification(session, sampler);
  QRT_RETURN_IF_ERROR(verification.run(tokens));
  for (size_t row = 0; row < tokens.size(); ++row) {
    const absl::Span<const float> logits = verification.row();
    absl::StatusOr<const TokenDistribution *> target = sampler.distribution(logits);
    if (!target.ok())
      return verification.inRow(target.status());
    if (row == proposals.size()) {
      const int32_t token = (*target)->draw(sampler.uniform(DrawPurpose::Token));
      verification.emit(sampler.report(token, logits));
      break;
    }
    const auto &[proposed, from] = proposals[row];
    const bool accepted =
        isAccepted(proposed, **target, from, sampler.uniform(DrawPurpose::Accept));
    const int32_t token =
        accepted ? proposed : drawResidual(**target, from, sampler.uniform(DrawPurpose::Residual));
    verification.emit(sampler.report(token, logits));
    if (!accepted)
      break;
  }
  return verification.finish();
}
