//===- AttentionSubjects.cpp - rope and attention --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Subject.h"

using namespace quench::numerics;
using namespace quench::reference;

namespace {

class RopeSubject final : public Subject {
public:
  RopeSubject(bool adjacent, int64_t dim, int64_t heads, Positions positions, int64_t pairs)
      : Subject("rope"), adjacent(adjacent), dim(dim), heads(heads), positions(positions) {
    for (int64_t i = 0; i < pairs; ++i)
      frequencies.push_back(float(std::pow(10000.0, -2.0 * double(i) / double(dim))));
  }

  std::string describe() const override {
    return op + (adjacent ? " adjacent " : " halves ") + std::to_string(heads) + " heads of " +
           std::to_string(dim) + " rotated in " + std::to_string(frequencies.size()) + " pairs";
  }

  std::string text(const std::string &name) const override {
    std::string rows = rowsType(heads * dim), list;
    for (float f : frequencies)
      list += (list.empty() ? "" : ", ") + literal(f);
    return "func.func @" + name + "(%x: " + rows + ", %pos: tensor<?xi32>) -> " + rows +
           " attributes {quench.entry} {\n  %y = quench.rope " +
           (adjacent ? "adjacent" : "halves") + " %x, %pos dim(" + std::to_string(dim) +
           ") inv_freq([" + list + "]) : " + rows + ", tensor<?xi32>\n  return %y : " + rows +
           "\n}\n";
  }

  std::vector<Array> makeInputs(Random &random, int64_t rows, Spread spread) const override {
    Row x;
    for (int64_t i = 0; i < rows * heads * dim; ++i)
      x.push_back(makeValue(random, spread, i % (heads * dim)));
    std::vector<int32_t> places;
    int64_t end = 1 << 24;
    for (int64_t r = 0; r < rows; ++r)
      places.push_back(int32_t(positions == Positions::Low    ? r
                               : positions == Positions::High ? end - 1 - random.below(1000)
                                                              : random.below(end)));
    return {arrayOf(x, {rows, heads * dim}), arrayOf(places, {rows})};
  }

  void check(const std::vector<Array> &inputs, const std::vector<Array> &results, bool,
             Report &report) const override {
    std::vector<int32_t> places = valuesOf<int32_t>(inputs[1]);
    for (size_t r = 0; r < places.size(); ++r) {
      Row got = rowOf(results[0], int64_t(r));
      BoundedRow want = rope(rowOf(inputs[0], int64_t(r)), places[r], dim, adjacent, frequencies);
      for (size_t k = 0; k < got.size(); ++k)
        report.bounded(got[k], want[k],
                       "position " + std::to_string(places[r]) + " column " + std::to_string(k));
    }
  }

private:
  bool adjacent;
  int64_t dim, heads;
  Positions positions;
  Row frequencies;
};

/// Rows at positions 0, 1, 2, … of layer 1 of two.
class AttentionSubject final : public Subject {
public:
  explicit AttentionSubject(const AttentionShape &shape)
      : Subject(std::string(shape.window ? "windowed" : "attention") +
                (shape.half ? " f16" : " f32")),
        shape(shape), scale(float(1.0 / std::sqrt(double(shape.dim)))) {}

  std::string describe() const override {
    return op + " " + std::to_string(shape.heads) + "x" + std::to_string(shape.group) +
           " heads of " + std::to_string(shape.dim) + ", pages of " + std::to_string(shape.slots) +
           ", window " + std::to_string(shape.window);
  }

  std::string text(const std::string &name) const override {
    std::string query = rowsType(width() * shape.group), rows = rowsType(width()),
                cache = "!quench.paged_cache<layers = 2, heads = " + std::to_string(shape.heads) +
                        ", dim = " + std::to_string(shape.dim) +
                        ", element = " + (shape.half ? "f16" : "f32") +
                        ", slots = " + std::to_string(shape.slots) + ">";
    return "func.func @" + name + "(%q: " + query + ", %k: " + rows + ", %v: " + rows +
           ", %pos: tensor<?xi32>, %kv: " + cache + ") -> " + query +
           " attributes {quench.entry} {\n  %layer = arith.constant 1 : index\n"
           "  %y = quench.attention %q, %k, %v, %pos cache(%kv layer %layer) scale(" +
           literal(scale) + ")" +
           (shape.window ? " window(" + std::to_string(shape.window) + ")" : "") + " : " + query +
           ", " + rows + ", " + rows + ", tensor<?xi32>, " + cache + " -> " + query +
           "\n  return %y : " + query + "\n}\n";
  }

  std::vector<Array> makeInputs(Random &random, int64_t rows, Spread spread) const override {
    // Beyond this a page of f16 holds nothing but zeros and infinities.
    if (spread == Spread::Small || spread == Spread::Wide)
      spread = Spread::Even;
    auto make = [&](int64_t columns, double factor) {
      Row x;
      for (int64_t i = 0; i < rows * columns; ++i)
        x.push_back(float(factor * makeValue(random, spread, i % columns)));
      return arrayOf(x, {rows, columns});
    };
    std::vector<int32_t> positions;
    for (int64_t r = 0; r < rows; ++r)
      positions.push_back(int32_t(r));
    // Large enough that some scores are far apart.
    double factor = spread == Spread::Even ? 3.0 : 1.0;
    return {make(width() * shape.group, factor), make(width(), factor), make(width(), 1.0),
            arrayOf(positions, {rows})};
  }

  void check(const std::vector<Array> &inputs, const std::vector<Array> &results, bool,
             Report &report) const override {
    KeyValues cache(shape.heads, shape.dim, shape.half);
    for (int64_t r = 0; r < inputs[0].dims[0]; ++r) {
      cache.append(r, rowOf(inputs[1], r), rowOf(inputs[2], r));
      Row got = rowOf(results[0], r);
      BoundedRow want = cache.attend(rowOf(inputs[0], r), r, scale, shape.slots, shape.window);
      for (size_t k = 0; k < got.size(); ++k)
        report.bounded(got[k], want[k],
                       "position " + std::to_string(r) + " column " + std::to_string(k));
    }
  }

  int64_t slots() const override { return shape.slots; }

private:
  int64_t width() const { return shape.heads * shape.dim; }

  AttentionShape shape;
  float scale;
};

} // namespace

SubjectPtr quench::numerics::makeRope(bool adjacent, int64_t dim, int64_t heads,
                                      Positions positions, int64_t pairs) {
  return std::make_unique<RopeSubject>(adjacent, dim, heads, positions, pairs ? pairs : dim / 2);
}

SubjectPtr quench::numerics::makeAttention(const AttentionShape &shape) {
  return std::make_unique<AttentionSubject>(shape);
}
