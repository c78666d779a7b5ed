//===- TextSession.cpp - a model that continues texts ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/TextSession.h"

#include "quench-rt/Support/Status.h"

#include <algorithm>

using namespace qrt;

std::vector<int32_t> qrt::endTokensOf(const Tokenizer &tokenizer) {
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < tokenizer.size(); ++id)
    if (tokenizer.isEndOfGeneration(id))
      ids.push_back(id);
  return ids;
}

absl::StatusOr<TextPlan> qrt::planText(const Session &session, const Tokenizer &tokenizer,
                                       const std::string &model, const TextOptions &options) {
  TextPlan plan;
  QRT_ASSIGN_OR_RETURN(plan.drafting, chooseDraft(session, model, options.speculation));
  DecodeOptions decoding;
  decoding.continues = options.continues;
  plan.text = std::make_unique<TokenizerStream>(tokenizer, decoding);
  plan.options.maxTokens = options.maxTokens;
  if (!options.ignoreEnd)
    plan.options.endTokens = endTokensOf(tokenizer);
  plan.options.stops = options.stops;
  plan.options.text = plan.text.get();
  plan.options.onText = options.onText;
  plan.options.cancelled = options.cancelled;
  plan.options.sampling = options.sampling;
  plan.options.draft = plan.drafting.options;
  return plan;
}

absl::StatusOr<bool> TextGeneration::step() {
  absl::StatusOr<bool> more = generator->step();
  failed |= !more.ok();
  return more;
}

absl::StatusOr<TextGeneration *> TextSession::begin(absl::Span<const int32_t> prompt,
                                                    const TextOptions &options) {
  end();
  QRT_ASSIGN_OR_RETURN(TextPlan plan, planText(*owned, *tokens, model, options));
  if (!prompt.empty()) {
    const auto same =
        std::mismatch(inCache.begin(), inCache.end(), prompt.begin(), prompt.end() - 1);
    plan.options.cached = same.first - inCache.begin();
  }
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Generator> generator,
                       Generator::begin(*owned, prompt, plan.options));
  current.reset(new TextGeneration(std::move(plan), std::move(generator)));
  return current.get();
}

void TextSession::end() {
  if (!current)
    return;
  inCache.clear();
  if (!current->failed) {
    const Generation &result = current->result();
    inCache = result.promptTokens;
    inCache.insert(inCache.end(), result.tokens.begin(), result.tokens.end());
    inCache.resize(static_cast<size_t>(owned->length()));
  }
  current.reset();
}

Session &TextSession::session() {
  end();
  inCache.clear();
  return *owned;
}
