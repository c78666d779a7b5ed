//===- RowSubjects.cpp - norms, quantize, argmax, element-wise maths -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Subject.h"

using namespace quench::numerics;
using namespace quench::reference;

namespace {

Array makeRows(Random &random, int64_t rows, int64_t columns, Spread spread) {
  Row x;
  for (int64_t i = 0; i < rows * columns; ++i)
    x.push_back(makeValue(random, spread, i % columns));
  return arrayOf(x, {rows, columns});
}

std::string at(int64_t row, size_t column) {
  return "row " + std::to_string(row) + " column " + std::to_string(column);
}

class NormSubject final : public Subject {
public:
  NormSubject(bool centred, Weight weight, Weight bias, float eps, int64_t groups)
      : Subject(centred ? "layer_norm" : "rms_norm"), centred(centred), weight(std::move(weight)),
        bias(std::move(bias)), eps(eps), groups(groups) {}

  std::string describe() const override {
    return op + " " + std::to_string(groups) + " of " + std::to_string(weight.columns) +
           (hasBias() ? " with bias" : "");
  }

  std::string text(const std::string &name) const override {
    std::string vector = weightType(qrt::Format::F32, 0, weight.columns),
                rows = rowsType(groups * weight.columns), text = weightText(name + ".w", vector);
    if (hasBias())
      text += weightText(name + ".b", vector);
    text += "func.func @" + name + "(%x: " + rows + ") -> " + rows +
            " attributes {quench.entry} {\n  %w = quench.get_weight @" + name + ".w : " + vector +
            "\n";
    if (hasBias())
      text += "  %b = quench.get_weight @" + name + ".b : " + vector + "\n";
    return text + "  %y = quench." + op + " %x, %w " +
           (hasBias() ? "bias(%b : " + vector + ") " : "") + "eps(" + literal(eps) + ") : " + rows +
           ", " + vector + "\n  return %y : " + rows + "\n}\n";
  }

  void addWeights(const std::string &name, Job &job) const override {
    job.weights[name + ".w"] = weight;
    if (hasBias())
      job.weights[name + ".b"] = bias;
  }

  std::vector<Array> makeInputs(Random &random, int64_t rows, Spread spread) const override {
    return {makeRows(random, rows, groups * weight.columns, spread)};
  }

  void check(const std::vector<Array> &inputs, const std::vector<Array> &results, bool fused,
             Report &report) const override {
    Row w = weight.decodedRow(0), b = hasBias() ? bias.decodedRow(0) : Row();
    for (int64_t r = 0; r < inputs[0].dims[0]; ++r) {
      Row row = rowOf(inputs[0], r), got = rowOf(results[0], r);
      for (size_t first = 0; first < row.size(); first += w.size()) {
        Row x(row.begin() + long(first), row.begin() + long(first + w.size()));
        BoundedRow want = centred ? layerNorm(x, w, b, eps) : rmsNorm(x, w, eps);
        Row ordered =
            centred ? orderedLayerNorm(x, w, b, eps, fused) : orderedRmsNorm(x, w, eps, fused);
        for (size_t k = 0; k < w.size(); ++k) {
          report.bounded(got[first + k], want[k], at(r, first + k));
          report.same(got[first + k], ordered[k], at(r, first + k) + " in order");
        }
      }
    }
  }

private:
  bool hasBias() const { return bias.columns != 0; }

  bool centred;
  Weight weight, bias;
  float eps;
  int64_t groups;
};

class QuantizeSubject final : public Subject {
public:
  explicit QuantizeSubject(int64_t columns) : Subject("quantize"), columns(columns) {}

  std::string describe() const override { return op + " " + std::to_string(columns); }

  std::string text(const std::string &name) const override {
    std::string codes = "tensor<?x" + std::to_string(columns) + "xi8>",
                scales = rowsType(columns / 32), results = codes + ", " + scales + ", " + scales;
    return "func.func @" + name + "(%x: " + rowsType(columns) + ") -> (" + results +
           ") attributes {quench.entry} {\n  %q, %s, %z = quench.quantize %x : " +
           rowsType(columns) + " -> " + results + "\n  return %q, %s, %z : " + results + "\n}\n";
  }

  std::vector<Array> makeInputs(Random &random, int64_t rows, Spread spread) const override {
    return {makeRows(random, rows, columns, spread)};
  }

  void check(const std::vector<Array> &inputs, const std::vector<Array> &results, bool,
             Report &report) const override {
    std::vector<int8_t> codes = valuesOf<int8_t>(results[0]);
    for (int64_t r = 0; r < inputs[0].dims[0]; ++r) {
      QuantizedRow want = quantize(rowOf(inputs[0], r));
      Row scales = rowOf(results[1], r), sums = rowOf(results[2], r);
      for (size_t b = 0; b < scales.size(); ++b) {
        report.same(scales[b], want.scales[b], at(r, b) + " scale");
        report.same(sums[b], want.sums[b], at(r, b) + " sum");
      }
      for (int64_t k = 0; k < columns; ++k)
        if (std::isfinite(want.scales[size_t(k / 32)]))
          report.same(codes[size_t(r * columns + k)], want.codes[size_t(k)], at(r, size_t(k)));
    }
  }

private:
  int64_t columns;
};

class ArgmaxSubject final : public Subject {
public:
  explicit ArgmaxSubject(int64_t columns) : Subject("argmax"), columns(columns) {}

  std::string describe() const override { return op + " " + std::to_string(columns); }

  std::string text(const std::string &name) const override {
    return "func.func @" + name + "(%x: " + rowsType(columns) +
           ") -> (tensor<?xi32>, tensor<?xf32>) attributes {quench.entry} {\n"
           "  %i, %v = quench.argmax %x : " +
           rowsType(columns) + " -> tensor<?xi32>, tensor<?xf32>\n" +
           "  return %i, %v : tensor<?xi32>, tensor<?xf32>\n}\n";
  }

  /// Rows of few different values, so that there are ties, in every other case.
  std::vector<Array> makeInputs(Random &random, int64_t rows, Spread spread) const override {
    Array x = makeRows(random, rows, columns, spread);
    if (random.below(2)) {
      Row values = valuesOf<float>(x);
      for (float &v : values)
        v = std::nearbyint(3.0f * v);
      x = arrayOf(values, x.dims);
    }
    return {x};
  }

  void check(const std::vector<Array> &inputs, const std::vector<Array> &results, bool,
             Report &report) const override {
    std::vector<int32_t> ids = valuesOf<int32_t>(results[0]);
    Row values = valuesOf<float>(results[1]);
    for (int64_t r = 0; r < inputs[0].dims[0]; ++r) {
      auto [id, value] = argmax(rowOf(inputs[0], r));
      report.same(values[size_t(r)], value, at(r, 0) + " value");
      ++report.numbers;
      if (ids[size_t(r)] != id)
        report.fail("row " + std::to_string(r) + ": got id " + std::to_string(ids[size_t(r)]) +
                    ", expected " + std::to_string(id));
    }
  }

private:
  int64_t columns;
};

/// exp and no more, or a gate function times `up` as importers write it.
enum class Maths { Exp, SiLU, Gelu };

class GatedSubject final : public Subject {
public:
  GatedSubject(int64_t columns, Maths maths)
      : Subject(maths == Maths::Exp    ? "exp"
                : maths == Maths::SiLU ? "gated"
                                       : "gated gelu"),
        columns(columns), maths(maths) {}

  std::string describe() const override { return op + " " + std::to_string(columns); }

  std::string text(const std::string &name) const override {
    std::string rows = rowsType(columns);
    return "func.func @" + name + "(%g: " + rows + ", %u: " + rows + ") -> " + rows +
           " attributes {quench.entry} {\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %rows = tensor.dim %g, %c0 : " +
           rows + "\n  %init = tensor.empty(%rows) : " + rows +
           "\n  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, "
           "affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], "
           "iterator_types = [\"parallel\", \"parallel\"]}\n"
           "    ins(%g, %u : " +
           rows + ", " + rows + ") outs(%init : " + rows +
           ") {\n  ^bb0(%gi: f32, %ui: f32, %out: f32):\n" + body() +
           "    linalg.yield %r : f32\n  } -> " + rows + "\n  return %y : " + rows + "\n}\n";
  }

  std::vector<Array> makeInputs(Random &random, int64_t rows, Spread spread) const override {
    return {makeRows(random, rows, columns, spread), makeRows(random, rows, columns, Spread::Even)};
  }

  void check(const std::vector<Array> &inputs, const std::vector<Array> &results, bool,
             Report &report) const override {
    for (int64_t r = 0; r < inputs[0].dims[0]; ++r) {
      Row gate = rowOf(inputs[0], r), got = rowOf(results[0], r);
      BoundedRow want = wanted(gate, rowOf(inputs[1], r));
      for (size_t k = 0; k < got.size(); ++k)
        report.bounded(got[k], want[k], at(r, k));
    }
  }

private:
  std::string body() const {
    if (maths == Maths::Exp)
      return "    %r = math.exp %gi : f32\n";
    double factor = 2.0 * std::sqrt(2.0 / M_PI);
    return (maths == Maths::SiLU
                ? std::string("    %n = arith.negf %gi : f32\n")
                : "    %a = arith.constant " + literal(float(-factor * 0.044715)) +
                      " : f32\n    %b = arith.constant " + literal(float(-factor)) +
                      " : f32\n"
                      "    %square = arith.mulf %gi, %gi : f32\n"
                      "    %cubic = arith.mulf %square, %a : f32\n"
                      "    %slope = arith.addf %cubic, %b : f32\n"
                      "    %n = arith.mulf %gi, %slope : f32\n") +
           "    %one = arith.constant 1.0 : f32\n"
           "    %e = math.exp %n : f32\n"
           "    %d = arith.addf %e, %one : f32\n"
           "    %s = arith.divf %gi, %d : f32\n"
           "    %r = arith.mulf %s, %ui : f32\n";
  }

  BoundedRow wanted(const Row &gate, const Row &up) const {
    if (maths != Maths::Exp)
      return maths == Maths::SiLU ? gated(gate, up) : gatedGelu(gate, up);
    BoundedRow result;
    for (float v : gate)
      result.push_back(exp(exact(v), kExpUlps));
    return result;
  }

  int64_t columns;
  Maths maths;
};

Weight makeVector(uint64_t seed, int64_t columns) {
  Random random(seed);
  return makeWeight(random, qrt::Format::F32, 1, columns);
}

} // namespace

SubjectPtr quench::numerics::makeRmsNorm(int64_t columns, float eps, uint64_t seed,
                                         int64_t groups) {
  return std::make_unique<NormSubject>(false, makeVector(seed, columns), Weight(), eps, groups);
}

SubjectPtr quench::numerics::makeLayerNorm(int64_t columns, float eps, bool bias, uint64_t seed,
                                           int64_t groups) {
  return std::make_unique<NormSubject>(true, makeVector(seed, columns),
                                       bias ? makeVector(seed + 1, columns) : Weight(), eps,
                                       groups);
}

SubjectPtr quench::numerics::makeQuantize(int64_t columns) {
  return std::make_unique<QuantizeSubject>(columns);
}

SubjectPtr quench::numerics::makeArgmax(int64_t columns) {
  return std::make_unique<ArgmaxSubject>(columns);
}

SubjectPtr quench::numerics::makeGated(int64_t columns) {
  return std::make_unique<GatedSubject>(columns, Maths::SiLU);
}

SubjectPtr quench::numerics::makeGatedGelu(int64_t columns) {
  return std::make_unique<GatedSubject>(columns, Maths::Gelu);
}

SubjectPtr quench::numerics::makeExp() { return std::make_unique<GatedSubject>(1024, Maths::Exp); }
