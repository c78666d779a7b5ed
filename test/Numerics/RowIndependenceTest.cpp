//===- RowIndependenceTest.cpp - a row's numbers are its own ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a row gives must not depend on how many rows are computed with it, on the
// number of threads, or on how the rows before it were divided into steps. Everything
// here compares bits.
//
// Semantics: NUM-1
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"
#include "Subject.h"
#include "TinyModel.h"
#include "Values.h"

#include "quench-rt/Device/CpuFeatures.h"

#include "gtest/gtest.h"

using namespace quench::numerics;
using quench::reference::Activations;

namespace {

/// Ways to divide `rows` rows into steps of at most 64.
std::vector<std::vector<int64_t>> divisions(int64_t rows) {
  auto repeated = [&](const std::vector<int64_t> &pattern) {
    std::vector<int64_t> chunks;
    for (int64_t left = rows; left > 0;) {
      chunks.push_back(std::min(left, pattern[chunks.size() % pattern.size()]));
      left -= chunks.back();
    }
    return chunks;
  };
  std::vector<std::vector<int64_t>> result;
  for (int64_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 63, 64})
    result.push_back(repeated({size}));
  result.push_back(repeated({64, 1, 8, 3, 2}));
  result.push_back(repeated({5, 1, 1, 17, 31, 4}));
  return result;
}

std::string textOf(const std::vector<int64_t> &chunks) {
  std::string text;
  for (size_t i = 0; i < chunks.size() && i < 8; ++i)
    text += (i ? "+" : "") + std::to_string(chunks[i]);
  return text + (chunks.size() > 8 ? "+…" : "");
}

/// Every op, in shapes with and without a remainder.
std::vector<SubjectPtr> everyOp() {
  std::vector<SubjectPtr> subjects;
  for (qrt::Format format : kAllFormats) {
    for (Activations activations : {Activations::F32, Activations::I8}) {
      int64_t block = std::max<int64_t>(32, qrt::formatInfo(format).blockElements);
      subjects.push_back(makeLinear(format, activations, 33, 2 * block, 1));
      subjects.push_back(makeLinear(format, activations, 104, 3 * block, 2));
    }
    subjects.push_back(makeEmbedding(
        format, 100, std::max<int64_t>(64, qrt::formatInfo(format).blockElements), 3));
  }
  for (int64_t columns : {7, 64, 100}) {
    subjects.push_back(makeRmsNorm(columns, 1e-5f, 4));
    subjects.push_back(makeLayerNorm(columns, 1e-5f, true, 5));
    subjects.push_back(makeGated(columns));
    subjects.push_back(makeGatedGelu(columns));
    subjects.push_back(makeRmsNorm(columns, 1e-5f, 6, 3));
    subjects.push_back(makeArgmax(columns));
  }
  subjects.push_back(makeQuantize(96));
  for (bool first : {false, true}) {
    subjects.push_back(makeRope(first, 10, 3, Positions::Any));
    subjects.push_back(makeRope(first, 64, 2, Positions::Low));
    subjects.push_back(makeAttention({first, 8, 1, 3, 8}));
    subjects.push_back(makeAttention({first, 64, 2, 2, 32}));
    subjects.push_back(makeAttention({first, 72, 1, 2, 8, 5}));
    subjects.push_back(makeAttention({first, 24, 2, 1, 16, 20}));
    subjects.push_back(makeRope(first, 24, 2, Positions::Low, 7));
  }
  return subjects;
}

TEST(RowIndependence, EveryOp) {
  constexpr int64_t kRows = 130;
  std::vector<SubjectPtr> subjects = everyOp();
  Job weights;
  for (size_t i = 0; i < subjects.size(); ++i)
    subjects[i]->addWeights("f" + std::to_string(i), weights);
  Library library = compile(moduleText(subjects, 64), Target::Native);
  ASSERT_FALSE(library.code.empty());

  Random random(5);
  std::vector<std::vector<Array>> inputs, wanted;
  for (const SubjectPtr &subject : subjects)
    inputs.push_back(subject->makeInputs(random, kRows, Spread::Even));
  int64_t compared = 0;
  for (int threads : {1, 2, 3}) {
    Native team(library, weights, threads);
    for (const std::vector<int64_t> &chunks : divisions(kRows))
      for (size_t i = 0; i < subjects.size(); ++i) {
        const Subject &subject = *subjects[i];
        Job job;
        job.calls = splitCalls(subject, "f" + std::to_string(i), inputs[i], chunks, 0);
        if (subject.slots())
          job.caches.push_back({(kRows + subject.slots() - 1) / subject.slots(), 0xff});
        std::vector<Array> results = joinResults(team.run(job).results);
        if (wanted.size() == i) {
          wanted.push_back(results);
          continue;
        }
        ASSERT_EQ(results.size(), wanted[i].size());
        for (size_t r = 0; r < results.size(); ++r)
          EXPECT_TRUE(results[r].bytes == wanted[i][r].bytes)
              << subject.describe() << ": steps of " << textOf(chunks) << " rows on " << threads
              << " threads differ from single rows on one";
        ++compared;
      }
  }
  EXPECT_EQ(compared, int64_t(subjects.size() * (3 * divisions(kRows).size() - 1)));
}

/// Logits of every position and the final pages, for every division and team. Pages
/// are full of NaN before: what lies beyond the length is not read.
/// Semantics: NUM-1, CACHE-1
void checkModel(Activations activations, Target target) {
  constexpr int64_t kCount = 130;
  TinyModel model(activations);
  Library library = compile(model.text, target);
  ASSERT_FALSE(library.code.empty());
  std::vector<int32_t> tokens = makeTokens(kCount, 3);
  const CacheState cache{(kCount + TinyModel::kSlots - 1) / TinyModel::kSlots, 0xff};

  Array wanted;
  Bytes pages;
  for (int threads : {1, 2, 3}) {
    Native team(library, model.weights, threads);
    for (const std::vector<int64_t> &chunks : divisions(kCount)) {
      std::string where =
          "steps of " + textOf(chunks) + " tokens on " + std::to_string(threads) + " threads";
      Job job;
      job.caches = {cache};
      int64_t before = 0;
      for (int64_t count : chunks) {
        job.calls.push_back(TinyModel::call("logits", tokens, before, count));
        before += count;
      }
      Outcome outcome = team.run(job);
      Array logits = joinResults(outcome.results)[0];
      ASSERT_EQ(outcome.lengths[0], kCount);
      if (wanted.bytes.empty()) {
        wanted = logits;
        pages = outcome.pages[0];
      }
      EXPECT_TRUE(logits.bytes == wanted.bytes) << where << ": other logits";
      EXPECT_TRUE(outcome.pages[0] == pages) << where << ": other keys or values";
    }
    // The prompt through prefill, then one step of each width; argmax with the head.
    for (int64_t width : {1, 2, 3, 4, 5, 6, 7, 8}) {
      Job job;
      job.caches = {cache, cache};
      int64_t start = kCount - width;
      for (int64_t before = 0; before < start;) {
        int64_t count = std::min<int64_t>(start - before, 5 + 7 * width);
        for (int64_t which : {0, 1}) {
          job.calls.push_back(TinyModel::call("prefill", tokens, before, count));
          job.calls.back().arguments[1].cache = which;
        }
        before += count;
      }
      job.calls.push_back(TinyModel::call("logits", tokens, start, width));
      job.calls.push_back(TinyModel::call("greedy", tokens, start, width));
      job.calls.back().arguments[1].cache = 1;
      Outcome outcome = team.run(job);
      const Array &logits = outcome.results[outcome.results.size() - 2][0];
      const std::vector<Array> &greedy = outcome.results.back();
      for (int64_t r = 0; r < width; ++r) {
        quench::reference::Row row = rowOf(wanted, start + r);
        EXPECT_EQ(rowOf(logits, r), row) << "width " << width << ", " << threads << " threads";
        auto [id, value] = quench::reference::argmax(row);
        EXPECT_EQ(valuesOf<int32_t>(greedy[0])[size_t(r)], id);
        EXPECT_EQ(valuesOf<float>(greedy[1])[size_t(r)], value);
      }
    }
  }
}

TEST(RowIndependence, ModelWithFloatActivations) { checkModel(Activations::F32, Target::Native); }
TEST(RowIndependence, ModelWithIntegerActivations) { checkModel(Activations::I8, Target::Native); }
TEST(RowIndependence, ModelOnPortableTile) { checkModel(Activations::I8, Target::Portable); }
TEST(RowIndependence, ModelOnBaseline) {
  if (qrt::hostArchitecture() != "x86_64")
    GTEST_SKIP() << "needs x86-64";
  checkModel(Activations::I8, Target::Baseline);
}

} // namespace
