//===- WeightSubjects.cpp - linear and embedding ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Subject.h"

using namespace quench::numerics;
using namespace quench::reference;

namespace {

class LinearSubject final : public Subject {
public:
  LinearSubject(Weight weight, Activations activations)
      : Subject(activations == Activations::I8 ? "linear i8" : "linear f32"),
        weight(std::move(weight)), activations(activations) {}

  std::string describe() const override {
    return op + " " + weightType(weight.format, weight.rows, weight.columns);
  }

  std::string text(const std::string &name) const override {
    std::string type = weightType(weight.format, weight.rows, weight.columns),
                in = "tensor<?x" + std::to_string(weight.columns) + "xf32>",
                out = "tensor<?x" + std::to_string(weight.rows) + "xf32>",
                mode = activations == Activations::I8 ? "i8" : "f32";
    return weightText(name + ".w", type) + "func.func @" + name + "(%x: " + in + ") -> " + out +
           " attributes {quench.entry} {\n  %w = quench.get_weight @" + name + ".w : " + type +
           "\n  %y = quench.linear %x, %w activations(" + mode + ") : " + in + ", " + type +
           " -> " + out + "\n  return %y : " + out + "\n}\n";
  }

  void addWeights(const std::string &name, Job &job) const override {
    job.weights[name + ".w"] = weight;
  }

  std::vector<Array> makeInputs(Random &random, int64_t rows, Spread spread) const override {
    Row x;
    for (int64_t i = 0; i < rows * weight.columns; ++i)
      x.push_back(makeValue(random, spread, i % weight.columns));
    return {arrayOf(x, {rows, weight.columns})};
  }

  void check(const std::vector<Array> &inputs, const std::vector<Array> &results, bool fused,
             Report &report) const override {
    for (int64_t r = 0; r < inputs[0].dims[0]; ++r) {
      Row x = rowOf(inputs[0], r), got = rowOf(results[0], r);
      BoundedRow want = linear(x, weight, activations);
      Row ordered = orderedLinear(x, weight, activations, fused);
      for (size_t n = 0; n < got.size(); ++n) {
        std::string where = "row " + std::to_string(r) + " feature " + std::to_string(n);
        report.bounded(got[n], want[n], where);
        report.same(got[n], ordered[n], where + " in order");
      }
      if (activations == Activations::I8 && weight.columns % 32 == 0)
        checkMeaning(x, got, want, report);
    }
  }

private:
  /// With quantized activations the result is still near the product with x.
  void checkMeaning(const Row &x, const Row &got, const BoundedRow &quantized,
                    Report &report) const {
    BoundedRow plain = linear(x, weight, Activations::F32);
    std::vector<double> steps = quantizationBound(x, weight);
    for (size_t n = 0; n < got.size(); ++n)
      if (!(std::fabs(double(got[n]) - plain[n].value) <=
            steps[n] + plain[n].error + quantized[n].error))
        report.fail("feature " + std::to_string(n) + ": further from x·w than half a step each");
  }

  Weight weight;
  Activations activations;
};

class EmbeddingSubject final : public Subject {
public:
  explicit EmbeddingSubject(Weight weight) : Subject("embedding"), weight(std::move(weight)) {}

  std::string describe() const override {
    return op + " " + weightType(weight.format, weight.rows, weight.columns);
  }

  std::string text(const std::string &name) const override {
    std::string type = weightType(weight.format, weight.rows, weight.columns),
                out = "tensor<?x" + std::to_string(weight.columns) + "xf32>";
    return weightText(name + ".w", type) + "func.func @" + name + "(%ids: tensor<?xi32>) -> " +
           out + " attributes {quench.entry} {\n  %w = quench.get_weight @" + name +
           ".w : " + type + "\n  %y = quench.embedding %ids, %w : tensor<?xi32>, " + type + " -> " +
           out + "\n  return %y : " + out + "\n}\n";
  }

  void addWeights(const std::string &name, Job &job) const override {
    job.weights[name + ".w"] = weight;
  }

  /// One id in eight is outside the weight. Semantics: BOUND-1
  std::vector<Array> makeInputs(Random &random, int64_t rows, Spread) const override {
    std::vector<int32_t> ids;
    for (int64_t r = 0; r < rows; ++r)
      ids.push_back(random.below(8) ? int32_t(random.below(weight.rows)) : int32_t(random.bits()));
    return {arrayOf(ids, {rows})};
  }

  void check(const std::vector<Array> &inputs, const std::vector<Array> &results, bool,
             Report &report) const override {
    std::vector<int32_t> ids = valuesOf<int32_t>(inputs[0]);
    for (size_t r = 0; r < ids.size(); ++r) {
      Row got = rowOf(results[0], int64_t(r)), want = embedding(ids[r], weight);
      for (size_t k = 0; k < got.size(); ++k)
        report.same(got[k], want[k],
                    "id " + std::to_string(ids[r]) + " column " + std::to_string(k));
    }
  }

private:
  Weight weight;
};

} // namespace

SubjectPtr quench::numerics::makeLinear(qrt::Format format, Activations activations, int64_t rows,
                                        int64_t columns, uint64_t seed) {
  Random random(seed);
  return std::make_unique<LinearSubject>(makeWeight(random, format, rows, columns), activations);
}

SubjectPtr quench::numerics::makeEmbedding(qrt::Format format, int64_t rows, int64_t columns,
                                           uint64_t seed) {
  Random random(seed);
  return std::make_unique<EmbeddingSubject>(makeWeight(random, format, rows, columns));
}
