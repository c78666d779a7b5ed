//===- TargetsTest.cpp - the same numbers on every target ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where there is a fused multiply-add, a program gives the same bits everywhere: with
// the tuned tile, with its portable expansion, and on AArch64 (emulated). Without one
// (x86-64-v2) it stays within the bounds of the reference.
//
//===----------------------------------------------------------------------===//

#include "CodeInspection.h"
#include "Compiled.h"
#include "Subject.h"
#include "TinyModel.h"
#include "Values.h"

#include "quench-rt/Device/CpuFeatures.h"

#include "gtest/gtest.h"

#include <cstdio>

using namespace quench::numerics;
using quench::reference::Activations;

namespace {

/// Functions and calls of them, to be run on several targets.
struct Program {
  std::vector<SubjectPtr> subjects;
  std::vector<std::vector<Array>> inputs;
  Job job;

  static constexpr int64_t kRows = 19;

  /// Every op on 19 rows in steps of 8, 1, 7 and 3.
  explicit Program(std::vector<SubjectPtr> list) : subjects(std::move(list)) {
    Random random(17);
    for (size_t i = 0; i < subjects.size(); ++i) {
      std::string name = "f" + std::to_string(i);
      subjects[i]->addWeights(name, job);
      inputs.push_back(subjects[i]->makeInputs(random, kRows, Spread(i % kNumSpreads)));
      auto calls =
          splitCalls(*subjects[i], name, inputs[i], {8, 1, 7, 3}, int64_t(job.caches.size()));
      job.calls.insert(job.calls.end(), calls.begin(), calls.end());
      if (int64_t slots = subjects[i]->slots())
        job.caches.push_back({(kRows + slots - 1) / slots, 0xff});
    }
  }

  std::string text() const { return moduleText(subjects, 64); }

  /// The results of a function.
  std::vector<Array> resultsOf(const Outcome &outcome, size_t index) const {
    auto first = outcome.results.begin() + long(4 * index);
    return joinResults({first, first + 4});
  }
};

std::vector<SubjectPtr> everyOp() {
  std::vector<SubjectPtr> subjects;
  for (qrt::Format format : kAllFormats) {
    for (Activations activations : {Activations::F32, Activations::I8})
      for (int64_t blocks : {1, 3}) {
        int64_t columns = blocks * std::max<int64_t>(32, qrt::formatInfo(format).blockElements);
        subjects.push_back(makeLinear(format, activations, 41, columns, uint64_t(columns)));
      }
    subjects.push_back(
        makeEmbedding(format, 50, std::max<int64_t>(64, qrt::formatInfo(format).blockElements), 3));
  }
  for (int64_t columns : {1, 13, 64, 100}) {
    subjects.push_back(makeRmsNorm(columns, 1e-5f, 4));
    subjects.push_back(makeLayerNorm(columns, 1e-5f, true, 5));
    subjects.push_back(makeGated(columns));
    subjects.push_back(makeGatedGelu(columns));
    subjects.push_back(makeRmsNorm(columns, 1e-5f, 6, 3));
    subjects.push_back(makeArgmax(columns));
  }
  for (int64_t columns : {32, 96})
    subjects.push_back(makeQuantize(columns));
  for (bool first : {false, true}) {
    for (Positions positions : {Positions::Low, Positions::Any, Positions::High})
      subjects.push_back(makeRope(first, 24, 2, positions));
    subjects.push_back(makeAttention({first, 8, 1, 3, 8}));
    subjects.push_back(makeAttention({first, 64, 2, 2, 16}));
    subjects.push_back(makeAttention({first, 72, 1, 2, 8, 5}));
    subjects.push_back(makeAttention({first, 24, 2, 1, 16, 20}));
    subjects.push_back(makeRope(first, 24, 2, Positions::Low, 7));
  }
  return subjects;
}

bool sameOutcome(const Outcome &a, const Outcome &b) {
  bool same = a.lengths == b.lengths && a.pages == b.pages && a.results.size() == b.results.size();
  for (size_t i = 0; same && i < a.results.size(); ++i)
    for (size_t j = 0; j < a.results[i].size(); ++j)
      same &= a.results[i][j].bytes == b.results[i][j].bytes;
  return same;
}

/// The targets that must agree with the portable expansion on this machine.
const Target kFusedTargets[] = {Target::Native, Target::Arm, Target::ArmHalf};

bool hostHasTunedTile() { return qrt::hasCpuFeature("avx2") && qrt::hasCpuFeature("fma"); }

Outcome runOn(Target target, const Library &library, const Job &job) {
  return target == Target::Arm || target == Target::ArmHalf ? runOnArm(library, job)
                                                            : Native(library, job, 1).run(job);
}

TEST(Targets, EveryOpIsBitEqual) {
  if (!hostHasTunedTile())
    GTEST_SKIP() << "needs AVX2 and FMA";
  Program program(everyOp());
  Library portable = compile(program.text(), Target::Portable);
  ASSERT_FALSE(portable.code.empty());
  Outcome wanted = runOn(Target::Portable, portable, program.job);
  for (size_t i = 0; i < program.subjects.size(); ++i) {
    Report report;
    program.subjects[i]->check(program.inputs[i], program.resultsOf(wanted, i),
                               isFused(Target::Portable), report);
    for (const std::string &message : report.messages)
      ADD_FAILURE() << program.subjects[i]->describe() << ": " << message;
  }
  for (Target target : kFusedTargets) {
    Library library = compile(program.text(), target);
    ASSERT_FALSE(library.code.empty());
    Outcome got = runOn(target, library, program.job);
    ASSERT_EQ(got.results.size(), wanted.results.size());
    for (size_t i = 0; i < program.subjects.size(); ++i) {
      auto a = program.resultsOf(got, i), b = program.resultsOf(wanted, i);
      for (size_t r = 0; r < a.size(); ++r)
        EXPECT_TRUE(a[r].bytes == b[r].bytes)
            << program.subjects[i]->describe() << ": " << targetName(target)
            << " differs from the portable expansion";
    }
    EXPECT_TRUE(got.pages == wanted.pages) << targetName(target) << ": other keys or values";
  }
}

/// Steps of several widths, then a greedy one.
Job modelJob(const TinyModel &model) {
  Job job = model.weights;
  std::vector<int32_t> tokens = makeTokens(60, 9);
  job.caches = {{(60 + TinyModel::kSlots - 1) / TinyModel::kSlots, 0xff}};
  int64_t before = 0;
  for (auto [entry, count] : std::vector<std::pair<std::string, int64_t>>{{"prefill", 17},
                                                                          {"logits", 1},
                                                                          {"logits", 8},
                                                                          {"logits", 25},
                                                                          {"logits", 3},
                                                                          {"greedy", 6}}) {
    job.calls.push_back(TinyModel::call(entry, tokens, before, count));
    before += count;
  }
  return job;
}

void checkModelOnTargets(Activations activations) {
  TinyModel model(activations);
  Job job = modelJob(model);
  Library portable = compile(model.text, Target::Portable);
  ASSERT_FALSE(portable.code.empty());
  Outcome wanted = runOn(Target::Portable, portable, job);
  for (Target target : kFusedTargets) {
    Library library = compile(model.text, target);
    ASSERT_FALSE(library.code.empty());
    EXPECT_TRUE(sameOutcome(runOn(target, library, job), wanted))
        << targetName(target) << " differs from the portable expansion";
  }
}

TEST(Targets, ModelIsBitEqualWithIntegerActivations) {
  if (!hostHasTunedTile())
    GTEST_SKIP() << "needs AVX2 and FMA";
  checkModelOnTargets(Activations::I8);
}

TEST(Targets, ModelIsBitEqualWithFloatActivations) {
  if (!hostHasTunedTile())
    GTEST_SKIP() << "needs AVX2 and FMA";
  checkModelOnTargets(Activations::F32);
}

TEST(Targets, BaselineIsWithinBounds) {
  if (qrt::hostArchitecture() != "x86_64")
    GTEST_SKIP() << "needs x86-64";
  Program program(everyOp());
  Library library = compile(program.text(), Target::Baseline);
  ASSERT_FALSE(library.code.empty());
  Outcome outcome = runOn(Target::Baseline, library, program.job);
  for (size_t i = 0; i < program.subjects.size(); ++i) {
    Report report;
    program.subjects[i]->check(program.inputs[i], program.resultsOf(outcome, i),
                               isFused(Target::Baseline), report);
    EXPECT_GT(report.numbers, 0);
    for (const std::string &message : report.messages)
      ADD_FAILURE() << program.subjects[i]->describe() << ": " << message;
  }
}

/// The whole model in i8 mode: mean logit difference as for the real one.
TEST(Targets, BaselineModelIsNear) {
  if (!hostHasTunedTile())
    GTEST_SKIP() << "needs AVX2 and FMA";
  TinyModel model(Activations::I8);
  Job job = modelJob(model);
  std::vector<quench::reference::Row> logits;
  for (Target target : {Target::Native, Target::Baseline}) {
    Library library = compile(model.text, target);
    ASSERT_FALSE(library.code.empty());
    Outcome outcome = runOn(target, library, job);
    logits.push_back(valuesOf<float>(outcome.results[3][0]));
  }
  double sum = 0.0;
  for (size_t i = 0; i < logits[0].size(); ++i)
    sum += std::fabs(double(logits[0][i]) - double(logits[1][i]));
  double mean = sum / double(logits[0].size());
  std::printf("mean difference of %zu logits: %g\n", logits[0].size(), mean);
  EXPECT_LE(mean, 0.25);
}

//===----------------------------------------------------------------------===//
// The code itself
//===----------------------------------------------------------------------===//

TEST(Targets, CodeStandsAlone) {
  for (Target target : {Target::Native, Target::Portable, Target::Baseline, Target::Arm})
    for (Activations activations : {Activations::F32, Activations::I8}) {
      Library library = compile(TinyModel(activations).text, target, /*keepIntermediate=*/true);
      ASSERT_FALSE(library.code.empty());
      for (const std::string &name : undefinedSymbols(library.code))
        EXPECT_TRUE(name == "memcpy" || name == "memset") << targetName(target) << ": " << name;
      EXPECT_EQ(exportedSymbols(library.code), std::vector<std::string>{QRT_QUERY_SYMBOL});
      EXPECT_NE(library.intermediate.find("define"), std::string::npos);
      for (const char *word : {"module asm", " asm \"", "asm sideeffect", "asm inteldialect"})
        EXPECT_EQ(library.intermediate.find(word), std::string::npos)
            << targetName(target) << ": inline assembly";
    }
}

TEST(Targets, OpsStandAlone) {
  Program program(everyOp());
  for (Target target : {Target::Native, Target::Portable, Target::Baseline, Target::Arm}) {
    Library library = compile(program.text(), target);
    ASSERT_FALSE(library.code.empty());
    for (const std::string &name : undefinedSymbols(library.code))
      EXPECT_TRUE(name == "memcpy" || name == "memset") << targetName(target) << ": " << name;
    if (target == Target::Arm)
      continue;
    // AVX, FMA and F16C are the instructions that begin with v.
    int64_t vector = 0, all = 0;
    for (const std::string &mnemonic : instructions(library.code)) {
      ++all;
      vector += mnemonic[0] == 'v';
      if (target == Target::Baseline)
        EXPECT_NE(mnemonic[0], 'v') << mnemonic << " in code for " << targetName(target);
    }
    EXPECT_GT(all, 10000);
    if (target == Target::Native && hostHasTunedTile())
      EXPECT_GT(vector, 1000) << "the check sees no AVX where there is some";
  }
}

} // namespace
