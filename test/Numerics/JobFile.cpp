//===- JobFile.cpp - jobs and outcomes as bytes ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Numbers are 8 bytes little-endian, strings and arrays their length and bytes. One
// function for each structure says what its members are, for reading and writing.
//
//===----------------------------------------------------------------------===//

#include "Job.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

using namespace quench::numerics;

namespace {

struct Writer {
  Bytes bytes;
  void raw(const void *data, size_t size) {
    auto *from = static_cast<const uint8_t *>(data);
    bytes.insert(bytes.end(), from, from + size);
  }
};

struct Reader {
  const Bytes &bytes;
  size_t at = 0;
  void raw(void *data, size_t size) {
    if (size > bytes.size() - at) {
      std::fprintf(stderr, "job: the file ends too early\n");
      std::exit(1);
    }
    if (size)
      std::memcpy(data, bytes.data() + at, size);
    at += size;
  }
};

template <typename File, typename T>
std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>> member(File &file, T &value) {
  int64_t number = static_cast<int64_t>(value);
  file.raw(&number, sizeof(number));
  value = static_cast<T>(number);
}

template <typename File> void member(File &file, Bytes &value) {
  size_t size = value.size();
  member(file, size);
  value.resize(size);
  file.raw(value.data(), size);
}

template <typename File> void member(File &file, std::string &value) {
  size_t size = value.size();
  member(file, size);
  value.resize(size);
  file.raw(value.data(), size);
}

template <typename File, typename T> void member(File &file, std::vector<T> &list);

template <typename File> void member(File &file, Array &array) {
  member(file, array.dims);
  member(file, array.bytes);
}

template <typename File> void member(File &file, Argument &argument) {
  member(file, argument.array);
  member(file, argument.cache);
  member(file, argument.capacity);
}

template <typename File> void member(File &file, Call &call) {
  member(file, call.entry);
  member(file, call.arguments);
}

template <typename File> void member(File &file, CacheState &state) {
  member(file, state.pages);
  member(file, state.fill);
}

template <typename File> void member(File &file, quench::reference::Weight &weight) {
  member(file, weight.format);
  member(file, weight.rows);
  member(file, weight.columns);
  member(file, weight.bytes);
}

template <typename File, typename T> void member(File &file, std::vector<T> &list) {
  size_t size = list.size();
  member(file, size);
  list.resize(size);
  for (T &item : list)
    member(file, item);
}

template <typename File>
void member(File &file, std::map<std::string, quench::reference::Weight> &weights) {
  std::vector<std::string> keys;
  for (const auto &[key, weight] : weights)
    keys.push_back(key);
  member(file, keys);
  for (const std::string &key : keys)
    member(file, weights[key]);
}

template <typename File> void member(File &file, Job &job) {
  member(file, job.weights);
  member(file, job.caches);
  member(file, job.calls);
}

template <typename File> void member(File &file, Outcome &outcome) {
  member(file, outcome.results);
  member(file, outcome.lengths);
  member(file, outcome.pages);
}

template <typename T> Bytes write(T value) {
  Writer writer;
  member(writer, value);
  return std::move(writer.bytes);
}

template <typename T> T read(const Bytes &bytes) {
  Reader reader{bytes};
  T value;
  member(reader, value);
  return value;
}

} // namespace

Bytes quench::numerics::serialize(const Job &job) { return write(job); }
Job quench::numerics::parseJob(const Bytes &bytes) { return read<Job>(bytes); }
Bytes quench::numerics::serialize(const Outcome &outcome) { return write(outcome); }
Outcome quench::numerics::parseOutcome(const Bytes &bytes) { return read<Outcome>(bytes); }
