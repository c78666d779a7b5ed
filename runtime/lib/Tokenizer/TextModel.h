//===- TextModel.h - the part of a tokenizer that depends on its kind ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_TOKENIZER_TEXTMODEL_H
#define QUENCH_RT_LIB_TOKENIZER_TEXTMODEL_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <vector>

namespace qrt {

/// Turns text without special tokens into ids. Immutable, so threads may share one.
class TextModel {
public:
  virtual ~TextModel() = default;

  /// Appends the ids of `text`, any bytes of less than 2 GiB, in time O(n log n). Returns
  /// how many bytes have no token and were left out.
  virtual absl::StatusOr<int64_t> encode(absl::string_view text,
                                         std::vector<int32_t> &ids) const = 0;

  /// True if no byte of a text is lost or changed by encoding it.
  virtual bool keepsAllBytes() const = 0;

  /// The spaces that decoding takes off where a text starts.
  enum class LeadingSpaces : uint8_t { None, One, All };
  virtual LeadingSpaces dropsLeadingSpaces() const = 0;

  /// True if encode() knows the user-defined tokens; otherwise texts have to be cut at
  /// their names before.
  virtual bool findsUserDefined() const = 0;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_TOKENIZER_TEXTMODEL_H
