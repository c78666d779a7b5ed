//===- Subject.cpp - functions to compile, calls of them -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Subject.h"

#include <cctype>
#include <cstdio>
#include <cstring>
#include <sstream>

using namespace quench::numerics;
using namespace quench::reference;

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

void Report::fail(const std::string &message) {
  ++wrong;
  if (messages.size() < 5)
    messages.push_back(message);
}

void Report::bounded(float got, Bounded want, const std::string &where) {
  ++numbers;
  if (agrees(got, want)) {
    if (std::isfinite(want.value))
      worst = std::fmax(worst, usedPart(got, want));
    return;
  }
  std::ostringstream message;
  message.precision(9);
  message << where << ": got " << got << ", expected " << want.value << " within " << want.error;
  fail(message.str());
}

void Report::same(float got, float want, const std::string &where) {
  ++numbers;
  if (sameNumber(got, want))
    return;
  std::ostringstream message;
  message.precision(9);
  message << where << ": got " << got << ", expected exactly " << want;
  fail(message.str());
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string quench::numerics::formatText(qrt::Format format) {
  std::string text(qrt::formatName(format));
  for (char &c : text)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string quench::numerics::weightType(qrt::Format format, int64_t rows, int64_t columns) {
  return "!quench.qtensor<" + (rows ? std::to_string(rows) + "x" : "") + std::to_string(columns) +
         ", #quench." + formatText(format) + ">";
}

std::string quench::numerics::weightText(const std::string &name, const std::string &type) {
  return "quench.weight @" + name + " {key = \"" + name + "\"} : " + type + "\n";
}

std::string quench::numerics::rowsType(int64_t columns) {
  return "tensor<?x" + std::to_string(columns) + "xf32>";
}

std::string quench::numerics::literal(float value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9e", double(value));
  return text;
}

std::string quench::numerics::moduleText(const std::vector<SubjectPtr> &subjects, int64_t maxRows) {
  std::string text =
      "module attributes {quench.max_rows = " + std::to_string(maxRows) + " : i64} {\n";
  for (size_t i = 0; i < subjects.size(); ++i)
    text += subjects[i]->text("f" + std::to_string(i));
  return text + "}\n";
}

//===----------------------------------------------------------------------===//
// Arrays and calls
//===----------------------------------------------------------------------===//

template <typename T> std::vector<T> quench::numerics::valuesOf(const Array &array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}
template std::vector<float> quench::numerics::valuesOf(const Array &);
template std::vector<int32_t> quench::numerics::valuesOf(const Array &);
template std::vector<int8_t> quench::numerics::valuesOf(const Array &);

template <typename T>
Array quench::numerics::arrayOf(const std::vector<T> &values, std::vector<int64_t> dims) {
  Array array{std::move(dims), Bytes(values.size() * sizeof(T))};
  if (!values.empty())
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}
template Array quench::numerics::arrayOf(const std::vector<float> &, std::vector<int64_t>);
template Array quench::numerics::arrayOf(const std::vector<int32_t> &, std::vector<int64_t>);

Row quench::numerics::rowOf(const Array &array, int64_t row) {
  size_t bytes = array.bytes.size() / size_t(array.dims[0]);
  Row values(bytes / sizeof(float));
  std::memcpy(values.data(), array.bytes.data() + size_t(row) * bytes, bytes);
  return values;
}

static Array rowsOf(const Array &array, int64_t first, int64_t count) {
  Array part = array;
  size_t bytes = array.dims[0] ? array.bytes.size() / size_t(array.dims[0]) : 0;
  part.dims[0] = count;
  part.bytes.assign(array.bytes.begin() + long(size_t(first) * bytes),
                    array.bytes.begin() + long(size_t(first + count) * bytes));
  return part;
}

std::vector<Call> quench::numerics::splitCalls(const Subject &subject, const std::string &name,
                                               const std::vector<Array> &inputs,
                                               const std::vector<int64_t> &chunks, int64_t cache) {
  std::vector<Call> calls;
  int64_t first = 0;
  for (int64_t count : chunks) {
    Call call{name, {}};
    for (const Array &input : inputs)
      call.arguments.push_back({rowsOf(input, first, count), -1, 0});
    first += count;
    if (subject.slots())
      call.arguments.push_back({{}, cache, first});
    calls.push_back(std::move(call));
  }
  return calls;
}

std::vector<Array> quench::numerics::joinResults(const std::vector<std::vector<Array>> &results) {
  std::vector<Array> joined = results.at(0);
  for (size_t i = 1; i < results.size(); ++i)
    for (size_t j = 0; j < joined.size(); ++j) {
      joined[j].dims[0] += results[i][j].dims[0];
      joined[j].bytes.insert(joined[j].bytes.end(), results[i][j].bytes.begin(),
                             results[i][j].bytes.end());
    }
  return joined;
}
