//===- Subject.h - one op in one shape, as a function to compile -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_NUMERICS_SUBJECT_H
#define QUENCH_TEST_NUMERICS_SUBJECT_H

#include "Job.h"
#include "Reference/Ordered.h"
#include "Values.h"

#include <memory>
#include <string>
#include <vector>

namespace quench::numerics {

/// What comparing many numbers found.
struct Report {
  int64_t numbers = 0;
  int64_t wrong = 0;
  double worst = 0.0;                ///< the largest part of a bound that an error took
  std::vector<std::string> messages; ///< of the first few that are wrong

  void bounded(float got, reference::Bounded want, const std::string &where);
  void same(float got, float want, const std::string &where);
  void fail(const std::string &message);
};

/// A function on rows. Every input and result has one entry in its first dimension for
/// each row.
class Subject {
public:
  explicit Subject(std::string op) : op(std::move(op)) {}
  virtual ~Subject() = default;

  /// The op and its shape, for messages.
  virtual std::string describe() const = 0;

  /// The function `name` and its weights, `name`.w and so on, in the text of a module.
  virtual std::string text(const std::string &name) const = 0;

  /// The weights by key.
  virtual void addWeights(const std::string &name, Job &job) const { (void)name, (void)job; }

  virtual std::vector<Array> makeInputs(Random &random, int64_t rows, Spread spread) const = 0;

  /// Compares results with the reference; `fused` as in Ordered.h.
  virtual void check(const std::vector<Array> &inputs, const std::vector<Array> &results,
                     bool fused, Report &report) const = 0;

  /// Positions of one page of the cache that is the last argument; 0 if there is none.
  virtual int64_t slots() const { return 0; }

  const std::string op;
};

using SubjectPtr = std::unique_ptr<Subject>;

SubjectPtr makeLinear(qrt::Format format, reference::Activations activations, int64_t rows,
                      int64_t columns, uint64_t seed);
SubjectPtr makeEmbedding(qrt::Format format, int64_t rows, int64_t columns, uint64_t seed);
/// `groups` of so many columns, each normalised by itself.
SubjectPtr makeRmsNorm(int64_t columns, float eps, uint64_t seed, int64_t groups = 1);
SubjectPtr makeLayerNorm(int64_t columns, float eps, bool bias, uint64_t seed, int64_t groups = 1);
SubjectPtr makeQuantize(int64_t columns);
SubjectPtr makeArgmax(int64_t columns);
SubjectPtr makeGated(int64_t columns);
SubjectPtr makeGatedGelu(int64_t columns);
SubjectPtr makeExp();

/// Positions of rows of a rope: near 0, near 2^24, or anything between.
enum class Positions : int64_t { Low, High, Any };
/// `pairs` of each head are rotated, all if it is 0.
SubjectPtr makeRope(bool adjacent, int64_t dim, int64_t heads, Positions positions,
                    int64_t pairs = 0);

struct AttentionShape {
  bool half = true; ///< f16 pages, else f32
  int64_t dim = 64, heads = 1, group = 1, slots = 32;
  int64_t window = 0; ///< 0: all positions
};
SubjectPtr makeAttention(const AttentionShape &shape);

/// A module of functions f0, f1, … with their weights.
std::string moduleText(const std::vector<SubjectPtr> &subjects, int64_t maxRows);

/// Calls that pass `inputs` through function `name`, so many rows at a time. `cache` is
/// the job's cache to use if the subject has one.
std::vector<Call> splitCalls(const Subject &subject, const std::string &name,
                             const std::vector<Array> &inputs, const std::vector<int64_t> &chunks,
                             int64_t cache);

/// The results of such calls, joined along the rows again.
std::vector<Array> joinResults(const std::vector<std::vector<Array>> &results);

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// An array of bytes as numbers.
template <typename T> std::vector<T> valuesOf(const Array &array);
extern template std::vector<float> valuesOf(const Array &);
extern template std::vector<int32_t> valuesOf(const Array &);
extern template std::vector<int8_t> valuesOf(const Array &);

template <typename T> Array arrayOf(const std::vector<T> &values, std::vector<int64_t> dims);
extern template Array arrayOf(const std::vector<float> &, std::vector<int64_t>);
extern template Array arrayOf(const std::vector<int32_t> &, std::vector<int64_t>);

/// Row `row` of an array of floats.
reference::Row rowOf(const Array &array, int64_t row);

/// "q4_1": how the dialect spells a format.
std::string formatText(qrt::Format format);
/// "quench.weight @name {key = \"name\"} : !quench.qtensor<8x32, #quench.q4_1>\n" and
/// the type alone; a vector has rows == 0.
std::string weightType(qrt::Format format, int64_t rows, int64_t columns);
std::string weightText(const std::string &name, const std::string &type);

/// "tensor<?x64xf32>".
std::string rowsType(int64_t columns);
/// A literal that reads back as exactly this number.
std::string literal(float value);

} // namespace quench::numerics

#endif // QUENCH_TEST_NUMERICS_SUBJECT_H
