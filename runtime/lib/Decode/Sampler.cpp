//===- Sampler.cpp - chooses the token that follows a sequence ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Sampler.h"

#include "quench-rt/Decode/Logits.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

using namespace qrt;

static TokenLogprobs logprobsOf(absl::Span<const float> logits, int32_t chosen, int64_t top) {
  const double scale = logSumExp(logits);
  TokenLogprobs logprobs;
  logprobs.chosen = static_cast<double>(logits[static_cast<size_t>(chosen)]) - scale;
  for (const auto &[token, logit] : topLogits(logits, static_cast<size_t>(top)))
    logprobs.top.emplace_back(token, static_cast<double>(logit) - scale);
  return logprobs;
}

Sampler::Sampler(SamplingOptions given)
    : options(std::move(given)), recent(options.repeatLastN), filter(options) {}

void Sampler::begin(absl::Span<const int32_t> prompt) {
  recent.clear();
  position = 0;
  for (int32_t token : prompt)
    append(token);
}

void Sampler::append(int32_t token) {
  ++position;
  if (options.penalizes())
    recent.append(token);
}

void Sampler::follow(const Sampler &other) {
  recent = other.recent;
  position = other.position;
}

absl::StatusOr<absl::Span<const float>> Sampler::process(absl::Span<const float> logits) {
  if (absl::optional<size_t> improper = findImproperLogit(logits))
    return absl::InternalError(absl::StrCat("a logit of ", logits[*improper], " for token ",
                                            *improper, ": the numbers overflowed"));
  if (!options.biases.empty() || options.penalizes()) {
    processed.assign(logits.begin(), logits.end());
    addBiases(options.biases, absl::MakeSpan(processed));
    if (options.penalizes())
      applyPenalties(options, recent, absl::MakeSpan(processed));
    logits = processed;
  }
  if (std::isinf(largestLogit(logits)))
    return absl::InvalidArgumentError(
        absl::StrCat("no token is left to follow at position ", position,
                     ": all have a logit of -inf, expected a logit bias that leaves at least one"));
  return logits;
}

absl::StatusOr<const TokenDistribution *> Sampler::distribution(absl::Span<const float> logits) {
  QRT_ASSIGN_OR_RETURN(absl::Span<const float> final, process(logits));
  return &filter.apply(final);
}

SampledToken Sampler::report(int32_t chosen, absl::Span<const float> logits) const {
  SampledToken token;
  token.id = chosen;
  token.logit = logits[static_cast<size_t>(chosen)];
  if (options.logprobs)
    token.logprobs = logprobsOf(logits, chosen, *options.logprobs);
  return token;
}

absl::StatusOr<SampledToken> Sampler::sample(absl::Span<const float> logits) {
  if (options.temperature > 0) {
    QRT_ASSIGN_OR_RETURN(const TokenDistribution *from, distribution(logits));
    return report(from->draw(uniform(DrawPurpose::Token)), logits);
  }
  QRT_ASSIGN_OR_RETURN(absl::Span<const float> final, process(logits));
  auto likeliest = std::find(final.begin(), final.end(), largestLogit(final));
  return report(static_cast<int32_t>(likeliest - final.begin()), logits);
}
