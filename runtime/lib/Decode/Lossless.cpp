//===- Lossless.cpp - comparing speculative with plain decoding -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Speculator.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

using namespace qrt;

static uint32_t bits(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  return word;
}

static std::string firstDifference(const LosslessReport &report) {
  const Generation &plain = report.plain, &drafted = report.speculative;
  const size_t common = std::min(plain.tokens.size(), drafted.tokens.size());
  for (size_t i = 0; i < common; ++i) {
    if (plain.tokens[i] != drafted.tokens[i])
      return absl::StrCat("generated token ", i, " is ", plain.tokens[i], " without speculation, ",
                          drafted.tokens[i], " with it");
    if (bits(plain.logits[i]) != bits(drafted.logits[i]))
      return absl::StrCat("the logit of generated token ", i, " has the bits ",
                          absl::Hex(bits(plain.logits[i]), absl::kZeroPad8),
                          " without speculation, ",
                          absl::Hex(bits(drafted.logits[i]), absl::kZeroPad8), " with it");
    if (!plain.logprobs.empty() && !(plain.logprobs[i] == drafted.logprobs[i]))
      return absl::StrCat("the log-probabilities of generated token ", i, " differ");
  }
  if (plain.tokens.size() != drafted.tokens.size())
    return absl::StrCat(plain.tokens.size(), " tokens were generated without speculation, ",
                        drafted.tokens.size(), " with it");
  if (plain.stopReason != drafted.stopReason || plain.text != drafted.text)
    return "the text or the reason why it ended differ";
  if (report.plainCacheHash != report.speculativeCacheHash)
    return absl::StrCat("the committed cache has the hash ", report.plainCacheHash,
                        " without speculation, ", report.speculativeCacheHash, " with it");
  return "";
}

absl::StatusOr<LosslessReport> qrt::checkLossless(Session &session,
                                                  absl::Span<const int32_t> prompt,
                                                  const GenerateOptions &options) {
  if (!options.draft.source)
    return absl::InvalidArgumentError("without a draft source there is nothing to compare");
  if (options.draft.acceptance == AcceptanceRule::Rejection && options.sampling.temperature > 0)
    return absl::InvalidArgumentError("with rejection sampling a text need not be that of plain "
                                      "decoding, only as likely: expected the acceptance rule "
                                      "match");
  Speculator speculator(session);
  LosslessReport report;
  for (bool speculate : {false, true}) {
    GenerateOptions chosen = options;
    if (!speculate) {
      chosen.draft.source = nullptr;
      chosen.onText = nullptr;
    }
    QRT_ASSIGN_OR_RETURN(Generation result, speculator.generate(prompt, chosen));
    // P + n - 1 positions. Where nothing was generated nothing was computed.
    const auto positions =
        static_cast<int64_t>(result.tokens.empty() ? 0 : prompt.size() + result.tokens.size() - 1);
    if (session.length() != positions)
      return absl::InternalError(
          absl::StrCat("the cache holds ", session.length(), " positions, expected ", positions));
    QRT_ASSIGN_OR_RETURN(std::string hash, session.hashCommitted(positions));
    (speculate ? report.speculative : report.plain) = std::move(result);
    (speculate ? report.speculativeCacheHash : report.plainCacheHash) = std::move(hash);
  }
  report.difference = firstDifference(report);
  return report;
}
