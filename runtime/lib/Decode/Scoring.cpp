//===- Scoring.cpp - how likely a text is to a model ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Scoring.h"

#include "quench-rt/Decode/Logits.h"
#include "quench-rt/Support/Status.h"

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

using namespace qrt;

namespace {

/// Rows of logits held at a time; with a vocabulary of 150,000 tokens they take 20 MB.
constexpr int64_t kRows = 32;

/// Appends the tokens and gives the logits of each to `row`, with the index of the
/// token.
absl::Status forEachRow(Session &session, absl::Span<const int32_t> tokens,
                        const std::function<bool()> &cancelled,
                        absl::FunctionRef<absl::Status(size_t, absl::Span<const float>)> row) {
  const auto most = static_cast<size_t>(std::min(kRows, session.maxRows()));
  const auto width = static_cast<size_t>(session.vocabularySize());
  for (size_t first = 0; first < tokens.size(); first += most) {
    if (cancelled && cancelled())
      return absl::CancelledError("cancelled");
    absl::Span<const int32_t> part = tokens.subspan(first, most);
    QRT_ASSIGN_OR_RETURN(absl::Span<const float> logits, session.logits(part));
    for (size_t i = 0; i < part.size(); ++i)
      QRT_RETURN_IF_ERROR(row(first + i, logits.subspan(i * width, width)));
  }
  return absl::OkStatus();
}

absl::StatusOr<double> checkedLoss(absl::Span<const float> logits, int32_t next, size_t position) {
  double loss = negativeLogLikelihood(logits, next);
  if (!std::isfinite(loss))
    return absl::InternalError(absl::StrCat("the loss at position ", position, " is ", loss,
                                            ": the program's numbers overflowed"));
  return loss;
}

absl::Status checkTokens(const Session &session, absl::Span<const int32_t> tokens) {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || tokens[i] >= session.vocabularySize())
      return absl::InvalidArgumentError(absl::StrCat(
          "token ", tokens[i], " at index ", i, ": expected 0 to ", session.vocabularySize() - 1));
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<std::vector<PositionScore>> qrt::score(Session &session,
                                                      absl::Span<const int32_t> tokens, size_t topK,
                                                      const std::function<bool()> &cancelled) {
  if (tokens.empty())
    return absl::InvalidArgumentError("there are no tokens to score");
  if (static_cast<int64_t>(tokens.size()) > session.contextLength())
    return absl::InvalidArgumentError(
        absl::StrCat(tokens.size(), " tokens exceed the context of ", session.contextLength()));
  QRT_RETURN_IF_ERROR(checkTokens(session, tokens));
  QRT_RETURN_IF_ERROR(session.truncate(0));
  std::vector<PositionScore> scores(tokens.size());
  QRT_RETURN_IF_ERROR(forEachRow(
      session, tokens, cancelled, [&](size_t i, absl::Span<const float> logits) -> absl::Status {
        scores[i].token = tokens[i];
        scores[i].top = topLogits(logits, topK);
        if (i + 1 < tokens.size()) {
          QRT_ASSIGN_OR_RETURN(scores[i].nllOfNext, checkedLoss(logits, tokens[i + 1], i));
        }
        return absl::OkStatus();
      }));
  return scores;
}

PerplexityOptions qrt::perplexityOptionsFor(const Tokenizer &tokenizer) {
  PerplexityOptions options;
  const Vocabulary &vocabulary = tokenizer.vocabulary();
  if (vocabulary.addBos && vocabulary.bos >= 0)
    options.beginningOfText = vocabulary.bos;
  return options;
}

absl::StatusOr<Perplexity> qrt::perplexity(Session &session, absl::Span<const int32_t> tokens,
                                           const PerplexityOptions &options) {
  const int64_t window = options.window;
  if (window < 3 || window > session.contextLength())
    return absl::InvalidArgumentError(
        absl::StrCat("windows of ", window, " tokens: expected 3 to ", session.contextLength()));
  const auto windows = static_cast<int64_t>(tokens.size()) / window;
  if (windows == 0)
    return absl::InvalidArgumentError(absl::StrCat(
        "the text has ", tokens.size(), " tokens: expected at least ", window, ", one window"));
  QRT_RETURN_IF_ERROR(checkTokens(session, tokens));
  if (options.beginningOfText)
    QRT_RETURN_IF_ERROR(checkTokens(session, {&*options.beginningOfText, 1}));
  const auto size = static_cast<size_t>(window), half = size / 2;
  Perplexity result;
  double sum = 0, sumOfSquares = 0, meanLoss = 0;
  for (int64_t w = 0; w < windows; ++w) {
    auto here = tokens.subspan(static_cast<size_t>(w) * size, size);
    std::vector<int32_t> ids(here.begin(), here.end());
    if (options.beginningOfText)
      ids[0] = *options.beginningOfText;
    QRT_RETURN_IF_ERROR(session.truncate(0));
    // The last token is only predicted.
    QRT_RETURN_IF_ERROR(session.prefill(absl::MakeConstSpan(ids).subspan(0, half)));
    QRT_RETURN_IF_ERROR(forEachRow(
        session, absl::MakeConstSpan(ids).subspan(half, size - 1 - half), options.cancelled,
        [&](size_t i, absl::Span<const float> logits) -> absl::Status {
          QRT_ASSIGN_OR_RETURN(double loss, checkedLoss(logits, ids[half + i + 1],
                                                        static_cast<size_t>(w) * size + half + i));
          sum += loss;
          sumOfSquares += loss * loss;
          ++result.tokens;
          return absl::OkStatus();
        }));
    meanLoss = sum / static_cast<double>(result.tokens); // a window scores one at least
    result.perplexity = std::exp(meanLoss);
    if (options.progress)
      options.progress(w + 1, windows, result.perplexity);
  }
  if (result.tokens > 1) {
    const auto count = static_cast<double>(result.tokens);
    const double variance = std::max(0.0, sumOfSquares / count - meanLoss * meanLoss);
    result.standardError = result.perplexity * std::sqrt(variance / (count - 1));
  }
  return result;
}
