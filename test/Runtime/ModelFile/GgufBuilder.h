//===- GgufBuilder.h - GGUF files for tests, honest or not ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_RUNTIME_MODELFILE_GGUFBUILDER_H
#define QUENCH_TEST_RUNTIME_MODELFILE_GGUFBUILDER_H

#include "quench-rt/Formats/Format.h"
#include "quench-rt/ModelFile/GgufValue.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qrt::test {

/// The bytes of a number or boolean.
template <typename T> std::string raw(T value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof(T));
}

/// A length and the text.
inline std::string rawString(std::string_view text) {
  return raw<uint64_t>(text.size()) + std::string(text);
}

/// Element type, count, elements.
inline std::string rawArray(GgufType element, uint64_t count, std::string_view elements) {
  return raw(static_cast<uint32_t>(element)) + raw(count) + std::string(elements);
}

inline std::string rawStrings(const std::vector<std::string> &texts) {
  std::string elements;
  for (const std::string &text : texts)
    elements += rawString(text);
  return rawArray(GgufType::String, texts.size(), elements);
}

/// Public fields, so that a test can lie about any of them.
struct GgufBuilder {
  struct Entry {
    std::string key;
    uint32_t type;
    std::string value;
  };
  struct Tensor {
    std::string name;
    std::vector<uint64_t> sizes; ///< in the file's order, fastest first
    uint32_t type;
    std::string data;
    std::optional<uint32_t> rank;   ///< else sizes.size()
    std::optional<uint64_t> offset; ///< else behind the tensor before, aligned
  };

  std::string magic = "GGUF";
  uint32_t version = 3;
  uint64_t alignment = 32;
  std::optional<uint64_t> tensorCount, metadataCount;
  std::vector<Entry> entries;
  std::vector<Tensor> tensors;

  void add(std::string key, GgufType type, std::string value) {
    entries.push_back({std::move(key), static_cast<uint32_t>(type), std::move(value)});
  }
  void addString(std::string key, std::string_view text) {
    add(std::move(key), GgufType::String, rawString(text));
  }
  void addUint32(std::string key, uint32_t value) {
    add(std::move(key), GgufType::Uint32, raw(value));
  }
  void addFloat32(std::string key, float value) {
    add(std::move(key), GgufType::Float32, raw(value));
  }
  void addBool(std::string key, bool value) { add(std::move(key), GgufType::Bool, raw(value)); }
  void addStrings(std::string key, const std::vector<std::string> &texts) {
    add(std::move(key), GgufType::Array, rawStrings(texts));
  }
  void addTensor(std::string name, std::vector<uint64_t> sizes, Format format, std::string data) {
    tensors.push_back(
        {std::move(name), std::move(sizes), formatInfo(format).ggmlType, std::move(data), {}, {}});
  }

  std::string build() const {
    std::string out = magic + raw(version) + raw(tensorCount.value_or(tensors.size())) +
                      raw(metadataCount.value_or(entries.size()));
    for (const Entry &entry : entries)
      out += rawString(entry.key) + raw(entry.type) + entry.value;
    std::string data;
    for (const Tensor &tensor : tensors) {
      data.resize((data.size() + alignment - 1) / alignment * alignment);
      out += rawString(tensor.name);
      out += raw(tensor.rank.value_or(static_cast<uint32_t>(tensor.sizes.size())));
      for (uint64_t size : tensor.sizes)
        out += raw(size);
      out += raw(tensor.type) + raw(tensor.offset.value_or(data.size()));
      data += tensor.data;
    }
    if (!tensors.empty())
      out.resize((out.size() + alignment - 1) / alignment * alignment);
    return out + data;
  }
};

} // namespace qrt::test

#endif // QUENCH_TEST_RUNTIME_MODELFILE_GGUFBUILDER_H
