//===- GgufParser.h - checks a mapped GGUF file ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_MODELFILE_GGUFPARSER_H
#define QUENCH_RT_LIB_MODELFILE_GGUFPARSER_H

#include "quench-rt/ModelFile/Gguf.h"

#include "absl/status/status.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace qrt {

/// Reads front to back; `at` never passes `end`. Every reading function names the item
/// it is about in its error.
class GgufParser {
public:
  explicit GgufParser(GgufFile &file)
      : file(file), begin(file.file.data()), at(begin), end(begin + file.file.size()) {}

  absl::Status parse();

private:
  absl::Status parseHeader(uint64_t &tensorCount, uint64_t &metadataCount);
  absl::Status checkCount(const char *what, uint64_t count, uint64_t most, uint64_t leastBytes);

  absl::Status parseMetadata(uint64_t count);
  absl::Status parseValue(GgufValue &value, const std::string &item);
  absl::Status checkPayload(GgufValue &value, const std::string &item, int depth);
  absl::Status checkArray(GgufValue &value, const std::string &item, int depth);
  absl::Status readAlignment();

  // GgufTensors.cpp
  absl::Status parseTensors(uint64_t count);
  absl::Status parseTensor(uint64_t index, uint64_t &offset);
  absl::Status parseShape(GgufTensor &tensor, const std::string &item);
  absl::Status computeBytes(GgufTensor &tensor, const std::string &item);
  absl::Status placeTensors(const std::vector<uint64_t> &offsets);

  uint64_t remaining() const { return static_cast<uint64_t>(end - at); }

  template <typename T> absl::Status read(T &value, const std::string &item) {
    if (remaining() < sizeof(T))
      return truncated(item);
    std::memcpy(&value, at, sizeof(T));
    at += sizeof(T);
    return absl::OkStatus();
  }

  /// A length and that many bytes.
  absl::Status readString(std::string_view &text, const std::string &item);
  /// A string that is not empty and at most kMaxName long.
  absl::Status readName(std::string_view &name, const std::string &item);

  absl::Status error(const std::string &item, const std::string &what) const;
  absl::Status truncated(const std::string &item) const;

  GgufFile &file;
  const uint8_t *begin;
  const uint8_t *at;
  const uint8_t *end;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_MODELFILE_GGUFPARSER_H
