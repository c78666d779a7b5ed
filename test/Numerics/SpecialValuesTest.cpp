//===- SpecialValuesTest.cpp - zeros, extremes, NaN, ties, edges -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Compiled.h"
#include "Subject.h"

#include "quench-rt/Device/CpuFeatures.h"
#include "quench-rt/Formats/Float16.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace quench::numerics;
using namespace quench::reference;

namespace {

const float kInfinity = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();
const float kLargestFloat = std::numeric_limits<float>::max();

/// With and without fused multiply-add and instructions for f16.
class SpecialValues : public testing::TestWithParam<Target> {
protected:
  void SetUp() override {
    if (GetParam() == Target::Baseline && qrt::hostArchitecture() != "x86_64")
      GTEST_SKIP() << "needs x86-64";
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, SpecialValues, testing::Values(Target::Native, Target::Baseline),
                         [](const testing::TestParamInfo<Target> &info) -> std::string {
                           return info.param == Target::Native ? "Native" : "Baseline";
                         });

/// Functions of one module, called by their index.
class Functions {
public:
  Functions(std::vector<SubjectPtr> list, Target target)
      : subjects(std::move(list)), target(target) {
    Job weights;
    for (size_t i = 0; i < subjects.size(); ++i)
      subjects[i]->addWeights("f" + std::to_string(i), weights);
    library = compile(moduleText(subjects, 64), target);
    if (!library.code.empty())
      team = std::make_unique<Native>(library, weights, 2);
  }

  /// All rows in one step, the cache's pages in `pages` if asked for.
  std::vector<Array> call(size_t index, const std::vector<Array> &inputs,
                          Bytes *pages = nullptr) const {
    if (!team)
      return {};
    int64_t rows = inputs[0].dims[0], slots = subjects[index]->slots();
    Job job;
    job.calls = splitCalls(*subjects[index], "f" + std::to_string(index), inputs, {rows}, 0);
    if (slots)
      job.caches.push_back({(rows + slots - 1) / slots, 0xff});
    Outcome outcome = team->run(job);
    if (pages)
      *pages = outcome.pages[0];
    return outcome.results[0];
  }

  /// The same, held against the reference.
  std::vector<Array> checked(size_t index, const std::vector<Array> &inputs) const {
    std::vector<Array> results = call(index, inputs);
    Report report;
    if (!results.empty())
      subjects[index]->check(inputs, results, isFused(target), report);
    EXPECT_GT(report.numbers, 0);
    for (const std::string &message : report.messages)
      ADD_FAILURE() << subjects[index]->describe() << ": " << message;
    return results;
  }

  const Subject &operator[](size_t index) const { return *subjects[index]; }
  size_t size() const { return subjects.size(); }

private:
  std::vector<SubjectPtr> subjects;
  Target target;
  Library library;
  std::unique_ptr<Native> team;
};

Array rows(const std::vector<Row> &list) {
  Row all;
  for (const Row &row : list)
    all.insert(all.end(), row.begin(), row.end());
  return arrayOf(all, {int64_t(list.size()), int64_t(list[0].size())});
}

Row constant(int64_t count, float value) { return Row(size_t(count), value); }

Row with(Row row, size_t index, float value) {
  row[index] = value;
  return row;
}

bool anyNotFinite(const Row &row) {
  return std::any_of(row.begin(), row.end(), [](float v) { return !std::isfinite(v); });
}
bool allNotFinite(const Row &row) {
  return std::all_of(row.begin(), row.end(), [](float v) { return !std::isfinite(v); });
}
bool allNaN(const Row &row) {
  return std::all_of(row.begin(), row.end(), [](float v) { return std::isnan(v); });
}

TEST_P(SpecialValues, LinearOnExtremes) {
  std::vector<SubjectPtr> subjects;
  for (qrt::Format format : {qrt::Format::F32, qrt::Format::F16, qrt::Format::BF16,
                             qrt::Format::Q4_1, qrt::Format::Q8_0})
    for (Activations activations : {Activations::F32, Activations::I8})
      subjects.push_back(makeLinear(format, activations, 20, 64, 1));
  Functions functions(std::move(subjects), GetParam());
  Random random(1);
  Row plain = makeRow(random, 64, Spread::Even), scaled[5];
  const double factors[] = {0x1p-149, 0x1p-140, 0x1p-101, 0x1p-99, 0x1p100};
  for (int i = 0; i < 5; ++i)
    for (float v : plain)
      scaled[i].push_back(float(double(v) * factors[i]));
  for (size_t i = 0; i < functions.size(); ++i) {
    auto results = functions.checked(
        i, {rows({constant(64, 0.0f), constant(64, -0.0f), scaled[0], scaled[1], scaled[2],
                  scaled[3], scaled[4], with(plain, 7, 1e30f), with(plain, 63, 0x1p-149f)})});
    ASSERT_FALSE(results.empty());
    for (int64_t r : {0, 1})
      for (float v : rowOf(results[0], r))
        EXPECT_EQ(v, 0.0f) << functions[i].describe();
  }
}

TEST_P(SpecialValues, LinearShowsWhatIsNotFinite) {
  std::vector<SubjectPtr> subjects;
  for (qrt::Format format : {qrt::Format::F32, qrt::Format::F16, qrt::Format::BF16,
                             qrt::Format::Q4_1, qrt::Format::Q8_0})
    for (Activations activations : {Activations::F32, Activations::I8})
      subjects.push_back(makeLinear(format, activations, 20, 96, 1));
  Functions functions(std::move(subjects), GetParam());
  Random random(2);
  std::vector<Row> plain;
  for (int i = 0; i < 9; ++i)
    plain.push_back(makeRow(random, 96, Spread::Even));
  for (size_t i = 0; i < functions.size(); ++i) {
    Array before = functions.call(i, {rows(plain)}).at(0);
    for (size_t at : {0, 31, 32, 95})
      for (float bad : {kNaN, -kNaN, kInfinity, -kInfinity, qrt::floatOf(0x7f800001)}) {
        std::vector<Row> changed = plain;
        changed[4][at] = bad;
        Array after = functions.call(i, {rows(changed)}).at(0);
        EXPECT_TRUE(std::isnan(bad) ? allNaN(rowOf(after, 4)) : allNotFinite(rowOf(after, 4)))
            << functions[i].describe() << ": " << bad << " in column " << at << " is hidden";
        for (int64_t r = 0; r < 9; ++r)
          if (r != 4)
            EXPECT_EQ(rowOf(after, r), rowOf(before, r)) << "another row changed";
      }
  }
}

TEST_P(SpecialValues, Norms) {
  std::vector<SubjectPtr> subjects;
  for (int64_t columns : {13, 64}) {
    subjects.push_back(makeRmsNorm(columns, 1e-5f, 1));
    subjects.push_back(makeLayerNorm(columns, 1e-5f, false, 1));
    subjects.push_back(makeLayerNorm(columns, 1e-5f, true, 1));
  }
  Functions functions(std::move(subjects), GetParam());
  Random random(3);
  for (size_t i = 0; i < functions.size(); ++i) {
    int64_t columns = i < 3 ? 13 : 64;
    Row plain = makeRow(random, columns, Spread::Even);
    functions.checked(i,
                      {rows({constant(columns, 0.0f), constant(columns, 3.5f),
                             constant(columns, 0x1p-149f), constant(columns, 0x1p-70f),
                             with(plain, 12, 1e15f), with(constant(columns, 0.0f), 3, 1e-20f)})});
    for (float bad : {kNaN, kInfinity, -kInfinity})
      for (size_t at : {0, 7, 12}) {
        std::vector<Array> results =
            functions.call(i, {rows({plain, with(plain, at, bad), plain})});
        EXPECT_TRUE(std::isnan(bad) ? allNaN(rowOf(results[0], 1))
                                    : anyNotFinite(rowOf(results[0], 1)))
            << functions[i].describe() << ": " << bad << " is hidden";
        EXPECT_EQ(rowOf(results[0], 0), rowOf(results[0], 2)) << "another row changed";
      }
  }
}

TEST_P(SpecialValues, Quantize) {
  std::vector<SubjectPtr> subjects;
  subjects.push_back(makeQuantize(64));
  Functions functions(std::move(subjects), GetParam());
  // With 127 in the block the step is 1: halves go to the even neighbour.
  Row ties = with(constant(64, 0.0f), 0, 127.0f);
  for (int i = 0; i < 31; ++i)
    ties[size_t(i) + 1] = float(i) - 15.5f;
  Row edges = constant(64, 0.0f), subnormal = constant(64, 0x1p-149f);
  std::fill_n(edges.begin(), 32, 0x1p-100f);
  std::fill_n(edges.begin() + 32, 32, std::nextafter(0x1p-100f, 0.0f));
  subnormal[5] = -0x1.8p-130f;
  Row large = constant(64, kLargestFloat);
  large[1] = -kLargestFloat;
  std::vector<Array> results = functions.checked(
      0, {rows({constant(64, 0.0f), constant(64, -0.0f), ties, edges, subnormal, large,
                constant(64, -1.0f), with(constant(64, 1e-3f), 40, -1e3f)})});
  ASSERT_FALSE(results.empty());
  std::vector<int8_t> codes = valuesOf<int8_t>(results[0]);
  EXPECT_EQ(codes[2 * 64 + 16], 0);                   // -0.5
  EXPECT_EQ(codes[2 * 64 + 15], -2);                  // -1.5
  EXPECT_EQ(codes[2 * 64 + 14], -2);                  // -2.5
  EXPECT_EQ(codes[3 * 64], 127);                      // 2^-100 still counts
  EXPECT_EQ(codes[3 * 64 + 32], 0);                   // less does not
  EXPECT_EQ(rowOf(results[1], 0), Row({0.0f, 0.0f})); // a block of zeros

  for (float bad : {kNaN, kInfinity, -kInfinity, qrt::floatOf(0xff800001)}) {
    results = functions.call(0, {rows({with(constant(64, 1.0f), 33, bad)})});
    Row scales = rowOf(results[1], 0), sums = rowOf(results[2], 0);
    EXPECT_EQ(scales[0], 1.0f / 127.0f);
    EXPECT_FALSE(std::isfinite(scales[1]) || std::isfinite(sums[1])) << bad << " is hidden";
    if (std::isnan(bad))
      EXPECT_TRUE(std::isnan(scales[1]) && std::isnan(sums[1]));
  }
}

TEST_P(SpecialValues, ArgmaxTies) {
  std::vector<SubjectPtr> subjects;
  const std::vector<int64_t> widths = {5, 8, 33, 64, 4096, 4100};
  for (int64_t width : widths)
    subjects.push_back(makeArgmax(width));
  Functions functions(std::move(subjects), GetParam());
  Random random(4);
  for (size_t i = 0; i < widths.size(); ++i) {
    int64_t n = widths[i];
    auto last = size_t(n - 1);
    Row low = constant(n, -5.0f);
    functions.checked(
        i, {rows({constant(n, 1.0f), constant(n, -kInfinity), constant(n, kNaN),
                  with(constant(n, kNaN), last, -3.0f), with(constant(n, kNaN), 2, -kInfinity),
                  with(constant(n, -0.0f), last, 0.0f), with(constant(n, 0.0f), 0, -0.0f),
                  with(with(low, 3, 2.0f), last, 2.0f), with(with(low, 3, kNaN), last, 2.0f),
                  with(with(low, 1, kInfinity), last, kInfinity), with(low, last, kLargestFloat),
                  with(constant(n, -kLargestFloat), 4, -kInfinity)})});
    // The best value at two random places among many.
    std::vector<Row> pairs;
    for (int r = 0; r < 60; ++r)
      pairs.push_back(with(with(makeRow(random, n, Spread::Even), size_t(random.below(n)), 2.0f),
                           size_t(random.below(n)), 2.0f));
    functions.checked(i, {rows(pairs)});
  }
}

TEST_P(SpecialValues, Exponential) {
  std::vector<SubjectPtr> subjects;
  subjects.push_back(makeExp());
  Functions functions(std::move(subjects), GetParam());
  auto run = [&](const Row &x) {
    std::vector<Row> list;
    for (size_t i = 0; i < x.size(); i += 1024) {
      list.emplace_back(x.begin() + long(i), x.begin() + long(std::min(i + 1024, x.size())));
      list.back().resize(1024, 0.0f);
    }
    Row results;
    for (size_t i = 0; i < list.size(); i += 64) {
      std::vector<Row> part(list.begin() + long(i),
                            list.begin() + long(std::min(i + 64, list.size())));
      Row got = valuesOf<float>(functions.checked(0, {rows(part), rows(part)}).at(0));
      results.insert(results.end(), got.begin(), got.end());
    }
    return results;
  };
  Row exact = {0.0f,      -0.0f,      -104.0f,   std::nextafter(-104.0f, -200.0f),
               -1e5f,     -kInfinity, kInfinity, kNaN,
               89.0f,     1e30f,      0x1p-149f, -0x1p-149f,
               0x1p-126f, -0x1p-30f};
  Row got = run(exact);
  const Row want = {1, 1, 0, 0, 0, 0, kInfinity, kNaN, kInfinity, kInfinity, 1, 1, 1, 1};
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(sameNumber(got[i], want[i])) << "exp(" << exact[i] << ") is " << got[i];

  // Every 4001st number between −104 and 88.7: each binade, never the same mantissas.
  Row many;
  for (uint32_t bits = 0; bits < qrt::bitsOf(88.7f); bits += 4001)
    many.push_back(qrt::floatOf(bits));
  for (uint32_t bits = 0; bits < qrt::bitsOf(104.0f); bits += 4001)
    many.push_back(-qrt::floatOf(bits));
  EXPECT_GT(many.size(), 400000u);
  run(many);
  for (int i = 0; i < 30000; ++i) // where most of the arguments are
    many[size_t(i)] = -104.0f + float(i) * (104.0f / 30000.0f);
  many.resize(30000);
  Row dense = run(many);
  for (size_t i = 1; i < many.size(); ++i)
    EXPECT_LE(dense[i - 1], dense[i]) << "not monotonic at " << many[i];
}

/// cos and sin themselves, by rotating (1, 0).
TEST_P(SpecialValues, RopeAngles) {
  std::vector<SubjectPtr> subjects;
  subjects.push_back(makeRope(true, 2, 1, Positions::Low));
  subjects.push_back(makeRope(false, 128, 1, Positions::Low));
  Functions functions(std::move(subjects), GetParam());

  std::vector<int32_t> positions;
  for (int32_t p = 0; p < 3000; ++p)
    positions.push_back(p);
  for (int32_t bit = 12; bit <= 24; ++bit)
    for (int32_t offset = -20; offset < (bit == 24 ? 0 : 20); ++offset)
      positions.push_back((1 << bit) + offset);
  Random random(6);
  for (int i = 0; i < 3000; ++i)
    positions.push_back(int32_t(random.below(1 << 24)));
  // The positions nearest to multiples of π/2, where a relative error is hardest.
  std::vector<std::pair<double, int32_t>> near;
  for (int32_t p = 1; p < 1 << 24; ++p) {
    double turns = double(p) * 0.63661977236758134308,
           off = std::fabs(turns - std::nearbyint(turns));
    if (off < 3e-5)
      near.emplace_back(off, p);
  }
  std::sort(near.begin(), near.end());
  ASSERT_GT(near.size(), 600u);
  for (size_t i = 0; i < 600; ++i)
    positions.push_back(near[i].second);

  auto within = [](float got, double want) {
    double ulp = std::ldexp(1.0, std::max(std::ilogb(want) - 23, -149));
    return std::fabs(double(got) - want) <= ulp;
  };
  for (size_t f : {0, 1}) {
    int64_t dim = f == 0 ? 2 : 128, half = dim / 2;
    Row one = constant(dim, 0.0f);
    for (int64_t i = 0; i < half; ++i)
      one[size_t(f == 0 ? 2 * i : i)] = 1.0f;
    for (size_t first = 0; first < positions.size(); first += 64) {
      std::vector<int32_t> part(positions.begin() + long(first),
                                positions.begin() + long(std::min(first + 64, positions.size())));
      std::vector<Array> results = functions.call(
          f, {rows(std::vector<Row>(part.size(), one)), arrayOf(part, {int64_t(part.size())})});
      ASSERT_FALSE(results.empty());
      for (size_t r = 0; r < part.size(); ++r) {
        Row got = rowOf(results[0], int64_t(r));
        for (int64_t i = 0; i < half; ++i) {
          float frequency = float(std::pow(10000.0, -2.0 * double(i) / double(dim)));
          double angle = float(part[r]) * frequency;
          float cosine = got[size_t(f == 0 ? 2 * i : i)],
                sine = got[size_t(f == 0 ? 2 * i + 1 : i + half)];
          EXPECT_TRUE(within(cosine, std::cos(angle)) &&
                      (angle == 0.0 ? sine == 0.0f : within(sine, std::sin(angle))))
              << "position " << part[r] << ", frequency " << frequency << ": " << cosine << ", "
              << sine;
        }
      }
    }
  }
}

TEST_P(SpecialValues, AttentionWeights) {
  std::vector<SubjectPtr> subjects;
  subjects.push_back(makeAttention({/*half=*/false, 16, 1, 1, 8}));
  Functions functions(std::move(subjects), GetParam());
  Random random(7);
  // A page and a half in which the last position outweighs all others by more than
  // e^104: its value comes out to the bit, whatever the others hold.
  constexpr int64_t kRows = 12;
  std::vector<Row> query, key, value;
  std::vector<int32_t> positions;
  for (int64_t r = 0; r < kRows; ++r) {
    query.push_back(constant(16, 4.0f));
    key.push_back(constant(16, float(r) * 7.0f)); // a score is 4·7·r·16/4
    value.push_back(with(makeRow(random, 16, Spread::Wide), 3, r % 2 ? 1e30f : -1e30f));
    positions.push_back(int32_t(r));
  }
  std::vector<Array> results =
      functions.checked(0, {rows(query), rows(key), rows(value), arrayOf(positions, {kRows})});
  ASSERT_FALSE(results.empty());
  for (int64_t r = 0; r < kRows; ++r)
    EXPECT_EQ(rowOf(results[0], r), value[size_t(r)]) << "position " << r;

  // The same the other way round: the first position keeps all the weight.
  for (int64_t r = 0; r < kRows; ++r)
    key[size_t(r)] = constant(16, -float(r) * 7.0f);
  results =
      functions.checked(0, {rows(query), rows(key), rows(value), arrayOf(positions, {kRows})});
  for (int64_t r = 0; r < kRows; ++r)
    EXPECT_EQ(rowOf(results[0], r), value[0]) << "position " << r;

  // Equal scores: exp(0) is 1 for each, so the result is a plain mean.
  for (int64_t r = 0; r < kRows; ++r) {
    key[size_t(r)] = constant(16, 1.0f);
    value[size_t(r)] = constant(16, 2.5f);
  }
  results =
      functions.checked(0, {rows(query), rows(key), rows(value), arrayOf(positions, {kRows})});
  for (int64_t r = 0; r < kRows; ++r)
    EXPECT_EQ(rowOf(results[0], r), value[0]) << "position " << r;
}

/// As a page of f16 (function 0) or f32 (function 1) holds it.
float rounded(size_t function, float v) {
  return function == 0 ? qrt::halfToFloat(qrt::floatToHalf(v)) : v;
}

TEST_P(SpecialValues, AttentionShowsWhatIsNotFinite) {
  std::vector<SubjectPtr> subjects;
  subjects.push_back(makeAttention({true, 16, 2, 1, 8}));
  subjects.push_back(makeAttention({false, 16, 2, 1, 8}));
  Functions functions(std::move(subjects), GetParam());
  constexpr int64_t kRows = 20;
  Random random(8);
  for (size_t f : {0, 1}) {
    std::vector<Array> inputs = functions[f].makeInputs(random, kRows, Spread::Even);
    Array before = functions.call(f, inputs).at(0);
    // 1e5 is infinite in a page of f16.
    for (float bad : {kNaN, kInfinity, -kInfinity, 1e5f})
      for (size_t which : {0, 1, 2})
        for (int64_t row : {0, 7, 8, 13}) {
          if (bad == 1e5f && (f == 1 || which == 0))
            continue;
          std::vector<Array> changed = inputs;
          Row values = valuesOf<float>(inputs[which]);
          values[size_t(row * 32 + 5)] = bad; // of the first head
          changed[which] = arrayOf(values, inputs[which].dims);
          Array after = functions.call(f, changed).at(0);
          for (int64_t r = 0; r < kRows; ++r) {
            Row got = rowOf(after, r), was = rowOf(before, r);
            Row first(got.begin(), got.begin() + 16);
            bool reached = which == 0 ? r == row : r >= row;
            std::string where = functions[f].describe() + ": " + std::to_string(bad) +
                                " in input " + std::to_string(which) + " of row " +
                                std::to_string(row) + ", row " + std::to_string(r);
            // A key that makes the score -inf has weight 0 by right; all else shows.
            bool shows = which != 1 || !(rowOf(inputs[0], r)[5] * rounded(f, bad) == -kInfinity);
            if (!reached)
              EXPECT_EQ(got, was) << where << " changed";
            else if (shows)
              EXPECT_TRUE(anyNotFinite(first)) << where << " is hidden";
            EXPECT_EQ(Row(got.begin() + 16, got.end()), Row(was.begin() + 16, was.end()))
                << where << ": another head changed";
          }
        }
  }
}

/// What is stored is the input rounded to the element type, to the bit.
TEST_P(SpecialValues, CacheRounding) {
  constexpr int64_t kDim = 128, kSlots = 8, kHeads = 2;
  std::vector<SubjectPtr> subjects;
  subjects.push_back(makeAttention({true, kDim, kHeads, 1, kSlots}));
  subjects.push_back(makeAttention({false, kDim, kHeads, 1, kSlots}));
  Functions functions(std::move(subjects), GetParam());
  // Around every boundary: between halves, ties, subnormals, the largest, beyond.
  Row special = {0.0f,         -0.0f,           kInfinity,    -kInfinity, kNaN,
                 65504.0f,     65519.0f,        65520.0f,     1e30f,      0x1p-24f,
                 0x1p-25f,     0x1.000002p-25f, 0x1.8p-24f,   0x1p-149f,  0x1p-14f,
                 0x1.ffcp-15f, 0x1.ffep-15f,    0x1.fffp-15f, 0x1p-16f};
  Random random(9);
  while (special.size() < 4000) {
    uint16_t half = uint16_t(random.bits());
    float v = qrt::halfToFloat(half), next = qrt::halfToFloat(uint16_t(half + 1));
    float middle = float((double(v) + double(next)) / 2.0);
    for (float x : {v, middle, std::nextafter(middle, v), std::nextafter(middle, next)})
      special.push_back(x);
  }
  constexpr int64_t kRows = 60; // pages 0 … 7, the last one not full
  std::vector<Row> keys, values;
  std::vector<int32_t> positions;
  for (int64_t r = 0; r < kRows; ++r) {
    keys.emplace_back();
    values.emplace_back();
    for (int64_t k = 0; k < kHeads * kDim; ++k) {
      keys.back().push_back(special[size_t(r * 67 + k) % special.size()]);
      values.back().push_back(special[size_t(r * 41 + 3 * k) % special.size()]);
    }
    positions.push_back(int32_t(r));
  }
  for (size_t f : {0, 1}) {
    Bytes pages;
    functions.call(f,
                   {rows(std::vector<Row>(kRows, constant(kHeads * kDim, 0.0f))), rows(keys),
                    rows(values), arrayOf(positions, {kRows})},
                   &pages);
    ASSERT_FALSE(pages.empty());
    size_t bytes = f == 0 ? 2 : 4, head = 2 * kDim * kSlots * bytes, page = 2 * kHeads * head;
    auto element = [&](size_t offset) {
      const uint8_t *at = pages.data() + offset;
      return f == 0 ? qrt::halfToFloat(qrt::loadWord(at))
                    : qrt::floatOf(uint32_t(qrt::loadWord(at)) | uint32_t(qrt::loadWord(at + 2))
                                                                     << 16);
    };
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t k = 0; k < kHeads * kDim; ++k) {
        size_t d = size_t(k % kDim), slot = size_t(r % kSlots);
        // Layer 1 of two.
        size_t start = size_t(r / kSlots) * page + size_t(kHeads + k / kDim) * head;
        float key = element(start + (d * kSlots + slot) * bytes);
        float value = element(start + head / 2 + (slot * kDim + d) * bytes);
        EXPECT_TRUE(sameNumber(key, rounded(f, keys[size_t(r)][size_t(k)])))
            << keys[size_t(r)][size_t(k)] << " became " << key;
        EXPECT_TRUE(sameNumber(value, rounded(f, values[size_t(r)][size_t(k)])))
            << values[size_t(r)][size_t(k)] << " became " << value;
      }
    // Nothing else was written: layer 0, and slots behind the last position.
    for (size_t p = 0; p < pages.size() / page; ++p)
      for (size_t i = 0; i < kHeads * head; ++i)
        ASSERT_EQ(pages[p * page + i], 0xff);
  }
}

} // namespace
