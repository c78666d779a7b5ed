//===- AccuracyTest.cpp - every op against its reference -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Op × format × shape × rows (and spread of the numbers, number of threads), sampled
// so that every pair of choices meets. A case is one call of a compiled function on one
// number of rows, all of whose results are compared. Each test prints how many cases it
// ran and has a least number of them; together these make more than 2,700.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"
#include "Pairwise.h"
#include "Subject.h"
#include "Values.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <map>
#include <numeric>

using namespace quench::numerics;
using quench::reference::Activations;

namespace {

constexpr int64_t kMaxRows = 64;
const std::vector<int64_t> kRows = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 63, 64};

/// What every case has beside its shape.
struct Setting {
  int64_t rows = 1;
  Spread spread = Spread::Even;
  int threads = 1;
  int64_t before = 0; ///< rows that went before, through a cache
};

/// Cases of one op: functions by shape, and what to run each on.
class Cases {
public:
  /// `make` builds the function of a shape; equal shapes share one.
  void add(const std::vector<int64_t> &shape, const Setting &run,
           const std::function<SubjectPtr()> &make) {
    auto [place, isNew] = places.emplace(shape, subjects.size());
    if (isNew) {
      subjects.push_back(make());
      runs.emplace_back();
    }
    runs[place->second].push_back(run);
  }

  /// Runs everything; fewer than `least` cases are a failure.
  void execute(int64_t least);

private:
  void check(const Subject &subject, const std::string &name, const Setting &run,
             const Job &weights);

  std::map<std::vector<int64_t>, size_t> places;
  std::vector<SubjectPtr> subjects;
  std::vector<std::vector<Setting>> runs;
  std::map<int, std::unique_ptr<Native>> teams;
  std::map<std::string, std::pair<int64_t, double>> found; ///< by op: cases, worst part of a bound
  Random random{20240607};
};

void Cases::check(const Subject &subject, const std::string &name, const Setting &run,
                  const Job &weights) {
  int64_t rows = run.before + run.rows;
  std::vector<Array> inputs = subject.makeInputs(random, rows, run.spread);
  std::vector<int64_t> chunks;
  for (int64_t left = run.before; left > 0; left -= chunks.back())
    chunks.push_back(std::min<int64_t>(left, 1 + random.below(kMaxRows)));
  chunks.push_back(run.rows);
  Job job;
  job.calls = splitCalls(subject, name, inputs, chunks, 0);
  if (subject.slots())
    job.caches.push_back({(rows + subject.slots() - 1) / subject.slots(), 0xff});
  std::unique_ptr<Native> &team = teams[run.threads];
  Outcome outcome = team->run(job);

  Report report;
  subject.check(inputs, joinResults(outcome.results), isFused(Target::Native), report);
  auto &[count, worst] = found[subject.op];
  ++count;
  worst = std::max(worst, report.worst);
  EXPECT_GT(report.numbers, 0);
  EXPECT_EQ(report.wrong, 0) << subject.describe() << ", " << run.rows << " rows after "
                             << run.before << ", spread " << int(run.spread) << ", " << run.threads
                             << " threads: " << (report.messages.empty() ? "" : report.messages[0]);
}

void Cases::execute(int64_t least) {
  Job weights;
  for (size_t i = 0; i < subjects.size(); ++i)
    subjects[i]->addWeights("f" + std::to_string(i), weights);
  Library library = compile(moduleText(subjects, kMaxRows), Target::Native);
  ASSERT_FALSE(library.code.empty());
  for (int threads : {1, 2, 3})
    teams[threads] = std::make_unique<Native>(library, weights, threads);
  for (size_t i = 0; i < subjects.size(); ++i)
    for (const Setting &run : runs[i])
      check(*subjects[i], "f" + std::to_string(i), run, weights);
  int64_t total = 0;
  for (const auto &[op, result] : found) {
    std::printf("%-14s %5lld cases, largest error %.3f of its bound\n", op.c_str(),
                static_cast<long long>(result.first), result.second);
    total += result.first;
  }
  std::printf("%lld cases of %zu functions, compiled in %.0f ms\n", static_cast<long long>(total),
              subjects.size(), library.milliseconds);
  testing::Test::RecordProperty("cases", std::to_string(total));
  EXPECT_GE(total, least);
}

Setting makeSetting(int64_t rows, int64_t spread, int64_t threads) {
  return {kRows[size_t(rows)], Spread(spread), int(threads) + 1, 0};
}

/// Columns of a weight: whole blocks, or anything for float formats.
int64_t columnsOf(qrt::Format format, int64_t choice) {
  static const int64_t blocks[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 33};
  static const int64_t floats[] = {1, 2, 7, 8, 31, 33, 64, 100, 257, 500};
  static const int64_t superBlocks[] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 4};
  switch (qrt::formatInfo(format).blockElements) {
  case 1:
    return floats[choice];
  case 32:
    return 32 * blocks[choice];
  default:
    return 256 * superBlocks[choice];
  }
}

const std::vector<int64_t> kFeatures = {1, 3, 7, 8, 9, 16, 31, 32, 33, 40, 64, 72, 100, 129};

void linearCases(Activations activations, uint64_t seed) {
  Cases cases;
  auto size = [](const auto &list) { return int64_t(std::size(list)); };
  for (uint64_t round = 0; round < 2; ++round)
    for (const Choices &c : samplePairs(
             {size(kAllFormats), size(kFeatures), 10, size(kRows), kNumSpreads, 3}, seed + round)) {
      qrt::Format format = kAllFormats[size_t(c[0])];
      int64_t features = kFeatures[size_t(c[1])], columns = columnsOf(format, c[2]);
      cases.add({c[0], features, columns}, makeSetting(c[3], c[4], c[5]), [&] {
        return makeLinear(format, activations, features, columns, seed + uint64_t(columns));
      });
    }
  cases.execute(360);
}

// Semantics: WEIGHT-1, NUM-3
TEST(Accuracy, LinearWithFloatActivations) { linearCases(Activations::F32, 1); }
TEST(Accuracy, LinearWithIntegerActivations) { linearCases(Activations::I8, 11); }

// Semantics: WEIGHT-1, BOUND-1
TEST(Accuracy, Embedding) {
  Cases cases;
  auto size = [](const auto &list) { return int64_t(std::size(list)); };
  for (const Choices &c :
       samplePairs({size(kAllFormats), size(kFeatures), 10, size(kRows), 3}, 21)) {
    qrt::Format format = kAllFormats[size_t(c[0])];
    int64_t entries = kFeatures[size_t(c[1])], columns = columnsOf(format, c[2]);
    cases.add({c[0], entries, columns}, makeSetting(c[3], 0, c[4]),
              [&] { return makeEmbedding(format, entries, columns, uint64_t(entries)); });
  }
  cases.execute(170);
}

const std::vector<int64_t> kWidths = {1,  2,  3,  5,  7,   8,   9,   15,  16,  17,
                                      31, 32, 33, 64, 100, 128, 257, 576, 960, 1023};

TEST(Accuracy, Norms) {
  Cases cases;
  const float eps[] = {1e-5f, 1e-6f, 1.0f};
  for (const Choices &c :
       samplePairs({3, int64_t(kWidths.size()), 3, int64_t(kRows.size()), kNumSpreads, 3}, 31)) {
    int64_t columns = kWidths[size_t(c[1])];
    cases.add({c[0], columns, c[2]}, makeSetting(c[3], c[4], c[5]), [&]() -> SubjectPtr {
      if (c[0] == 0)
        return makeRmsNorm(columns, eps[c[2]], uint64_t(columns));
      return makeLayerNorm(columns, eps[c[2]], /*bias=*/c[0] == 2, uint64_t(columns));
    });
  }
  cases.execute(250);
}

// Semantics: NUM-2
TEST(Accuracy, NormsOfGroups) {
  Cases cases;
  const int64_t widths[] = {1, 3, 8, 20, 24, 64, 100, 256};
  for (const Choices &c : samplePairs({2, 8, 5, int64_t(kRows.size()), kNumSpreads, 3}, 91)) {
    int64_t columns = widths[c[1]], groups = c[2] + 2;
    cases.add({c[0], columns, groups}, makeSetting(c[3], c[4], c[5]), [&]() -> SubjectPtr {
      if (c[0] == 0)
        return makeRmsNorm(columns, 1e-6f, uint64_t(columns), groups);
      return makeLayerNorm(columns, 1e-5f, /*bias=*/true, uint64_t(columns), groups);
    });
  }
  cases.execute(90);
}

TEST(Accuracy, Rope) {
  Cases cases;
  const int64_t dims[] = {2, 4, 6, 8, 10, 16, 24, 32, 48, 64, 80, 96, 128};
  for (uint64_t round = 0; round < 2; ++round)
    for (const Choices &c : samplePairs({2, 13, 9, 3, int64_t(kRows.size()), 2, 3}, 41 + round)) {
      int64_t dim = dims[c[1]], heads = c[2] + 1;
      cases.add({c[0], dim, heads, c[3]}, makeSetting(c[4], c[5], c[6]),
                [&] { return makeRope(c[0] == 0, dim, heads, Positions(c[3])); });
    }
  // In part, where what is left is no multiple of any vector.
  const int64_t parts[][2] = {{6, 1}, {16, 4}, {24, 7}, {48, 8}, {64, 24}, {96, 36}, {128, 3}};
  for (const Choices &c : samplePairs({2, 7, 4, 3, int64_t(kRows.size()), 2, 3}, 47)) {
    auto [dim, pairs] = parts[c[1]];
    int64_t heads = c[2] + 1;
    cases.add({c[0], dim, heads, c[3], pairs}, makeSetting(c[4], c[5], c[6]),
              [&, dim = dim, pairs = pairs] {
                return makeRope(c[0] == 0, dim, heads, Positions(c[3]), pairs);
              });
  }
  cases.execute(400);
}

TEST(Accuracy, Attention) {
  Cases cases;
  const int64_t dims[] = {8, 16, 24, 32, 40, 64, 80, 96, 128};
  const int64_t slots[] = {8, 16, 32};
  const int64_t before[] = {0, 1, 7, 8, 31, 32, 33, 100};
  auto allowed = [](const Choices &c) { return (c[2] + 1) * (c[3] + 1) <= 9; };
  for (const Choices &c :
       samplePairs({2, 9, 4, 9, 3, int64_t(kRows.size()), 8, 3, kNumSpreads}, 51, allowed)) {
    AttentionShape shape{c[0] == 0, dims[c[1]], c[2] + 1, c[3] + 1, slots[c[4]]};
    Setting run = makeSetting(c[5], c[8], c[7]);
    run.before = before[c[6]];
    cases.add({c[0], c[1], c[2], c[3], c[4]}, run, [&] { return makeAttention(shape); });
  }
  cases.execute(140);
}

// Windows shorter and longer than pages and than what there is. Semantics: NUM-5
TEST(Accuracy, AttentionInWindows) {
  Cases cases;
  const int64_t dims[] = {8, 24, 64, 72, 136, 256};
  const int64_t slots[] = {8, 16, 32};
  const int64_t before[] = {0, 7, 31, 33, 100};
  const int64_t windows[] = {1, 2, 7, 8, 9, 20, 32, 33, 64, 1000};
  for (const Choices &c :
       samplePairs({2, 6, 2, 4, 3, 10, int64_t(kRows.size()), 5, 3, kNumSpreads}, 57)) {
    AttentionShape shape{c[0] == 0, dims[c[1]], c[2] + 1, c[3] + 1, slots[c[4]], windows[c[5]]};
    Setting run = makeSetting(c[6], c[9], c[8]);
    run.before = before[c[7]];
    cases.add({c[0], c[1], c[2], c[3], c[4], c[5]}, run, [&] { return makeAttention(shape); });
  }
  cases.execute(140);
}

TEST(Accuracy, QuantizeArgmaxAndGate) {
  Cases cases;
  const int64_t widths[] = {32, 64, 96, 128, 160, 224, 256, 512, 1024, 1056};
  const int64_t columns[] = {1,  2,   3,   7,   8,    9,    31,   32,   33,  64,
                             65, 100, 127, 128, 1000, 1024, 1025, 4096, 4104};
  for (uint64_t round = 0; round < 2; ++round) {
    for (const Choices &c : samplePairs({10, int64_t(kRows.size()), kNumSpreads, 3}, 61 + round))
      cases.add({0, widths[c[0]]}, makeSetting(c[1], c[2], c[3]),
                [&] { return makeQuantize(widths[c[0]]); });
    for (const Choices &c : samplePairs({19, int64_t(kRows.size()), kNumSpreads, 3}, 71 + round))
      cases.add({1, columns[c[0]]}, makeSetting(c[1], c[2], c[3]),
                [&] { return makeArgmax(columns[c[0]]); });
    for (const Choices &c :
         samplePairs({int64_t(kWidths.size()), int64_t(kRows.size()), kNumSpreads, 3}, 81 + round))
      cases.add({2, kWidths[size_t(c[0])]}, makeSetting(c[1], c[2], c[3]),
                [&] { return makeGated(kWidths[size_t(c[0])]); });
    for (const Choices &c :
         samplePairs({int64_t(kWidths.size()), int64_t(kRows.size()), kNumSpreads, 3}, 85 + round))
      cases.add({3, kWidths[size_t(c[0])]}, makeSetting(c[1], c[2], c[3]),
                [&] { return makeGatedGelu(kWidths[size_t(c[0])]); });
  }
  cases.execute(1700);
}

} // namespace
