//===- DraftModel.cpp - a smaller model of the same program proposes -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/DraftModel.h"

#include "quench-rt/Program/WeightSource.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace qrt;

/// What a fused round takes: the newest token, and the last candidate before it.
static constexpr size_t kMostLacking = 2;

absl::StatusOr<std::unique_ptr<DraftModel>>
DraftModel::create(const Executable &executable, int64_t contextLength, int64_t vocabularySize) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<LanguageModel> model,
                       LanguageModel::create(executable, kDraftPrefix, contextLength));
  if (model->vocabularySize() != vocabularySize)
    return absl::FailedPreconditionError(
        absl::StrCat("the draft's vocabulary has ", model->vocabularySize(),
                     " tokens, expected the target's ", vocabularySize));
  return std::unique_ptr<DraftModel>(new DraftModel(std::move(model)));
}

void DraftModel::begin(absl::Span<const int32_t> prompt) {
  sequence.assign(prompt.begin(), prompt.end());
  absl::StatusOr<absl::Span<const int32_t>> rest = lacking();
  failure = rest.status();
  if (rest.ok() && rest->size() > 1)
    failure = run(rest->first(rest->size() - 1));
}

void DraftModel::append(absl::Span<const int32_t> tokens) {
  sequence.insert(sequence.end(), tokens.begin(), tokens.end());
}

absl::StatusOr<absl::Span<const int32_t>> DraftModel::lacking() {
  if (sequence.empty())
    return absl::FailedPreconditionError("the draft model was not told a sequence to continue");
  // The newest token always has to be run: what follows it is asked for.
  const size_t most = std::min(held.size(), sequence.size() - 1);
  auto difference = std::mismatch(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(most),
                                  sequence.begin());
  const auto common = static_cast<size_t>(difference.first - held.begin());
  QRT_RETURN_IF_ERROR(model->truncate(static_cast<int64_t>(common)));
  held.resize(common);
  return absl::MakeConstSpan(sequence).subspan(common);
}

absl::Status DraftModel::run(absl::Span<const int32_t> tokens) {
  QRT_RETURN_IF_ERROR(model->prefill(tokens, model->maxRows()));
  held.insert(held.end(), tokens.begin(), tokens.end());
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<const int32_t>> DraftModel::prepare(int64_t limit) {
  QRT_RETURN_IF_ERROR(failure);
  QRT_ASSIGN_OR_RETURN(absl::Span<const int32_t> rest, lacking());
  if (rest.size() > kMostLacking) {
    QRT_RETURN_IF_ERROR(run(rest.first(rest.size() - 1)));
    rest.remove_prefix(rest.size() - 1);
  }
  // All candidates but the last one go through the model.
  QRT_RETURN_IF_ERROR(
      model->reserve(static_cast<int64_t>(rest.size()) + std::max<int64_t>(limit, 1) - 1));
  return rest;
}

absl::Status DraftModel::takeRound(absl::Span<const int32_t> emitted) {
  const auto length = static_cast<size_t>(model->length());
  if (length < held.size() || length > sequence.size() + emitted.size() - 1) {
    dropRound();
    return misbehaved("round", absl::StrCat("left ", length, " positions in the draft's cache, ",
                                            "expected ", held.size(), " to ",
                                            sequence.size() + emitted.size() - 1));
  }
  for (size_t i = held.size(); i < length; ++i)
    held.push_back(i < sequence.size() ? sequence[i] : emitted[i - sequence.size()]);
  return absl::OkStatus();
}

void DraftModel::dropRound() { model->restoreLength(static_cast<int64_t>(held.size())); }

absl::StatusOr<int32_t> DraftModel::catchUp() {
  QRT_RETURN_IF_ERROR(failure);
  QRT_ASSIGN_OR_RETURN(absl::Span<const int32_t> rest, lacking());
  if (rest.size() > 1)
    QRT_RETURN_IF_ERROR(run(rest.first(rest.size() - 1)));
  return rest.back();
}

absl::StatusOr<std::vector<Proposal>> DraftModel::draw(Sampler &sampler, int64_t limit) {
  std::vector<Proposal> proposals;
  if (limit == 0)
    return proposals;
  QRT_ASSIGN_OR_RETURN(int32_t newest, catchUp());
  for (int64_t i = 0; i < limit; ++i) {
    QRT_ASSIGN_OR_RETURN(absl::Span<const float> logits, model->logits({&newest, 1}));
    held.push_back(newest);
    absl::StatusOr<const TokenDistribution *> distribution = sampler.distribution(logits);
    if (!distribution.ok())
      return absl::Status(
          distribution.status().code(),
          absl::StrCat("the draft's entry 'logits': ", distribution.status().message()));
    newest = (*distribution)->draw(sampler.uniform(DrawPurpose::Draft));
    sampler.append(newest);
    proposals.push_back({newest, **distribution});
  }
  return proposals;
}

absl::StatusOr<int64_t> DraftModel::tryPropose(absl::Span<int32_t> candidates) {
  QRT_ASSIGN_OR_RETURN(int32_t newest, catchUp());
  for (int32_t &candidate : candidates) {
    QRT_ASSIGN_OR_RETURN(Step step, model->greedy({&newest, 1}));
    held.push_back(newest);
    candidate = newest = step.ids[0];
  }
  return static_cast<int64_t>(candidates.size());
}

int64_t DraftModel::propose(absl::Span<const int32_t>, absl::Span<int32_t> candidates) {
  absl::StatusOr<int64_t> count = tryPropose(candidates);
  failure = count.status();
  return count.ok() ? *count : 0;
}
