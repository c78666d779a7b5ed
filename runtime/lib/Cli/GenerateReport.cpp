//===- GenerateReport.cpp - what generate says about its work -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GenerateReport.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

using namespace qrt;
using namespace qrt::cli;

Json cli::logprobsAsJson(const Generation &done) {
  Json list = Json::array();
  for (const TokenLogprobs &logprobs : done.logprobs) {
    Json top = Json::array();
    for (const auto &[id, logprob] : logprobs.top)
      top.push_back(Json::array({id, logprob}));
    list.push_back({{"logprob", logprobs.chosen}, {"top", std::move(top)}});
  }
  return list;
}

Json GenerateReport::asJson() const {
  const Generation &done = generation();
  Json object = {{"text", done.text},
                 {"token_ids", done.tokens},
                 {"prompt_token_ids", done.promptTokens},
                 {"tokens_per_second", done.tokensPerSecond()},
                 {"drafted", done.drafted},
                 {"accepted", done.accepted},
                 {"rounds", done.rounds},
                 {"stop_reason", std::string(stopReasonName(done.stopReason))}};
  if (sampling.temperature > 0)
    object["seed"] = sampling.seed;
  if (sampling.logprobs)
    object["logprobs"] = logprobsAsJson(done);
  if (lossless) {
    object["lossless"] = lossless->lossless();
    object["plain_tokens_per_second"] = lossless->plain.tokensPerSecond();
    object["cache_hash"] = lossless->speculativeCacheHash;
    object["plain_cache_hash"] = lossless->plainCacheHash;
  }
  return object;
}

std::string GenerateReport::summary() const {
  const Generation &done = generation();
  double promptSpeed = done.prefillSeconds > 0
                           ? static_cast<double>(done.promptTokens.size() - 1) / done.prefillSeconds
                           : 0;
  std::string text = absl::StrFormat(
      "[%d prompt tokens, %.1f per second; %d tokens, %.1f per second; %d drafted, %d accepted, "
      "%d rounds; ended by %s%s]\n",
      done.promptTokens.size(), promptSpeed, done.tokens.size(), done.tokensPerSecond(),
      done.drafted, done.accepted, done.rounds, stopReasonName(done.stopReason),
      sampling.temperature > 0 ? absl::StrCat("; seed ", sampling.seed) : "");
  if (!lossless)
    return text;
  if (lossless->lossless())
    absl::StrAppendFormat(
        &text,
        "[lossless: %d token ids, the bits of their logits and cache positions 0 to %d (hash %s) "
        "are those of plain decoding at %.1f tokens per second]\n",
        done.tokens.size(), static_cast<int64_t>(done.promptTokens.size() + done.tokens.size()) - 2,
        lossless->speculativeCacheHash, lossless->plain.tokensPerSecond());
  return text;
}
