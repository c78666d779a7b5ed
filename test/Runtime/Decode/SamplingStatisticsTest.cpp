//===- SamplingStatisticsTest.cpp - texts come with their probabilities ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Two tokens are generated after a prompt with each of 50,000 seeds, drafts included, and
// counted. Their joint probabilities are computed here, from the model's logits and
// the definitions alone. A χ² test compares both; it also has to notice each of several
// small biases.
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Decode/Speculator.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

using namespace qrt;
using namespace qrt::test;

namespace {

constexpr int kTexts = 50000; // 100,000 draws
constexpr size_t kVocabulary = 32;
const std::vector<int32_t> kPrompt = {3, 17, 29, 17, 8};
using Pair = std::pair<int32_t, int32_t>;

SamplingOptions sampling() {
  SamplingOptions options;
  options.temperature = 0.4;
  options.topK = 0;
  options.topP = 0.9;
  options.minP = 0.1;
  options.repeatPenalty = 1.3;
  options.frequencyPenalty = 0.2;
  options.presencePenalty = 0.3;
  options.repeatLastN = 4;
  return options;
}

/// Probabilities of what follows the text, with the options above.
std::vector<double> expectedNext(Session &session, const std::vector<int32_t> &text) {
  EXPECT_TRUE(session.truncate(0).ok());
  auto rows = session.logits(text);
  EXPECT_TRUE(rows.ok()) << rows.status();
  const auto last = rows->last(kVocabulary);
  std::vector<double> logits(last.begin(), last.end());
  for (size_t id = 0; id < kVocabulary; ++id) {
    const auto count = std::count(text.end() - 4, text.end(), static_cast<int32_t>(id));
    if (count > 0)
      logits[id] = (logits[id] > 0 ? logits[id] / 1.3 : logits[id] * 1.3) -
                   0.2 * static_cast<double>(count) - 0.3;
  }
  std::vector<size_t> order(kVocabulary);
  for (size_t i = 0; i < kVocabulary; ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  double total = 0, reached = 0;
  for (double logit : logits)
    total += std::exp(logit);
  std::vector<double> probabilities(kVocabulary);
  double sum = 0;
  for (size_t id : order) {
    if (reached >= 0.9 * total || std::exp(logits[id] - logits[order[0]]) < 0.1)
      break;
    reached += std::exp(logits[id]);
    sum += probabilities[id] = std::exp(logits[id] / 0.4);
  }
  for (double &probability : probabilities)
    probability /= sum;
  return probabilities;
}

/// Always proposes the same.
class Stubborn final : public DraftSource {
public:
  explicit Stubborn(int32_t token) : token(token) {}
  void begin(absl::Span<const int32_t>) override {}
  void append(absl::Span<const int32_t>) override {}
  int64_t propose(absl::Span<const int32_t>, absl::Span<int32_t> candidates) override {
    std::fill(candidates.begin(), candidates.end(), token);
    return static_cast<int64_t>(candidates.size());
  }

private:
  int32_t token;
};

/// Draws each token from one of three distributions, whatever the model says. They lack
/// tokens of the target's and have others.
class Wild final : public DraftSource, private StochasticSource {
public:
  /// With `lie` the tokens come from another distribution than they say.
  explicit Wild(bool lie = false) : lie(lie) {
    for (size_t which = 0; which < 3; ++which)
      for (size_t id = which; id < kVocabulary; id += 1 + which) {
        TokenDistribution &to = distributions[which];
        to.tokens.push_back(static_cast<int32_t>(id));
        to.weights.push_back(1.0 / static_cast<double>(1 + (id * 7 + which) % 11));
        to.total += to.weights.back();
      }
  }
  void begin(absl::Span<const int32_t> prompt) override { last = prompt.back(); }
  void append(absl::Span<const int32_t> tokens) override { last = tokens.back(); }
  int64_t propose(absl::Span<const int32_t>, absl::Span<int32_t>) override { return 0; }
  StochasticSource *stochastic() override { return this; }

private:
  absl::StatusOr<std::vector<Proposal>> draw(Sampler &sampler, int64_t limit) override {
    std::vector<Proposal> result;
    for (int64_t i = 0; i < limit; ++i) {
      const size_t which = static_cast<size_t>(last) % 3;
      const TokenDistribution &from = distributions[lie ? (which + 1) % 3 : which];
      last = from.draw(sampler.uniform(DrawPurpose::Draft));
      sampler.append(last);
      result.push_back({last, distributions[which]});
    }
    return result;
  }

  bool lie;
  TokenDistribution distributions[3];
  int32_t last = 0;
};

class SamplingStatistics : public testing::Test {
protected:
  void SetUp() override {
    const std::vector<double> first = expectedNext(*session, kPrompt);
    for (int32_t one = 0; one < int32_t(kVocabulary); ++one) {
      if (first[size_t(one)] == 0)
        continue;
      std::vector<int32_t> text = kPrompt;
      text.push_back(one);
      const std::vector<double> second = expectedNext(*session, text);
      for (int32_t two = 0; two < int32_t(kVocabulary); ++two)
        if (second[size_t(two)] > 0)
          expected[{one, two}] = kTexts * first[size_t(one)] * second[size_t(two)];
    }
    likeliest = static_cast<int32_t>(std::max_element(first.begin(), first.end()) - first.begin());
  }

  /// Generates and counts. The seed of text i is `seed(i)`.
  std::map<Pair, double> count(const SamplingOptions &chosen,
                               const std::function<uint64_t(uint64_t)> &seed = nullptr) {
    Stubborn draft(likeliest);
    return count(chosen, {&draft, 4, AcceptanceRule::Match}, seed);
  }

  std::map<Pair, double> count(const SamplingOptions &chosen, const DraftOptions &drafts,
                               const std::function<uint64_t(uint64_t)> &seed = nullptr) {
    std::map<Pair, double> seen;
    GenerateOptions options;
    options.maxTokens = 2;
    options.draft = drafts;
    options.sampling = chosen;
    Speculator speculator(*session);
    for (uint64_t i = 0; i < kTexts; ++i) {
      options.sampling.seed = seed ? seed(i) : i;
      auto result = speculator.generate(kPrompt, options);
      if (!result.ok() || result->tokens.size() != 2) {
        ADD_FAILURE() << result.status();
        return seen;
      }
      ++seen[{result->tokens[0], result->tokens[1]}];
      accepted += result->accepted;
    }
    return seen;
  }

  /// χ² as standard deviations of a normal distribution, by the approximation of Wilson
  /// and Hilferty. Infinite if something was seen that cannot be.
  double deviation(const std::map<Pair, double> &seen) const {
    double statistic = 0, rareExpected = 0, rareSeen = 0, total = 0;
    int cells = 0;
    for (const auto &[pair, often] : expected) {
      auto found = seen.find(pair);
      const double observed = found == seen.end() ? 0 : found->second;
      total += observed;
      if (often < 10) {
        rareExpected += often;
        rareSeen += observed;
        continue;
      }
      statistic += (observed - often) * (observed - often) / often;
      ++cells;
    }
    if (total != kTexts)
      return std::numeric_limits<double>::infinity();
    if (rareExpected > 0) {
      statistic += (rareSeen - rareExpected) * (rareSeen - rareExpected) / rareExpected;
      ++cells;
    }
    const double freedom = cells - 1, ninth = 2 / (9 * freedom);
    return (std::cbrt(statistic / freedom) - 1 + ninth) / std::sqrt(ninth);
  }

  FakeModel model = makeFakeModel();
  std::unique_ptr<Session> session = *Session::create(*model.executable, {16, 0});
  std::map<Pair, double> expected;
  int32_t likeliest = 0;
  int64_t accepted = 0;
};

TEST_F(SamplingStatistics, TextsComeWithTheirProbabilities) {
  const double found = deviation(count(sampling()));
  EXPECT_LT(std::abs(found), 4);
  // Drafts were accepted as often as they are likely.
  EXPECT_GT(accepted, kTexts / 50);
  EXPECT_LT(accepted, kTexts / 2);
  EXPECT_GT(expected.size(), 300u);
}

TEST_F(SamplingStatistics, SmallBiasesAreNoticed) {
  SamplingOptions biased = sampling();
  biased.biases = {{likeliest, 0.1}};
  EXPECT_GT(deviation(count(biased)), 5) << "one token a little likelier";
  biased = sampling();
  biased.repeatLastN = 3;
  EXPECT_GT(deviation(count(biased)), 5) << "a window shorter by one token";
  biased = sampling();
  biased.topP = 0.93;
  EXPECT_GT(deviation(count(biased)), 5) << "a token more than top-p allows";
  EXPECT_GT(deviation(count(sampling(), [](uint64_t i) { return i / 2; })), 5)
      << "random numbers that are used twice";
}

// A round of two tokens has one candidate. It is accepted, and the second token is the target's
// own, or replaced, and the second comes from a round without a candidate.
TEST_F(SamplingStatistics, RejectionKeepsTheProbabilities) {
  Wild draft;
  const double found = deviation(count(sampling(), {&draft, 4, AcceptanceRule::Rejection}));
  EXPECT_LT(std::abs(found), 4);
  EXPECT_GT(accepted, kTexts / 50);
  EXPECT_LT(accepted, kTexts / 2);
}

TEST_F(SamplingStatistics, CandidatesThatWereNotDrawnAsSaidAreNoticed) {
  Wild draft(/*lie=*/true);
  EXPECT_GT(deviation(count(sampling(), {&draft, 4, AcceptanceRule::Rejection})), 5);
}

} // namespace
