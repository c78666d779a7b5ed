//===- ScoreMergeEncoder.h - merges characters by the scores of tokens -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_TOKENIZER_SCOREMERGEENCODER_H
#define QUENCH_RT_LIB_TOKENIZER_SCOREMERGEENCODER_H

#include "SpecialTokens.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qrt {

/// Byte-pair encoding as SentencePiece defines it (Kudo and Richardson, 2018): starting
/// from characters, while any two neighbours joined are a token, join those whose token
/// has the highest score, the leftmost of equals. A heap of candidates makes that
/// O(n log n).
class ScoreMergeEncoder {
public:
  enum class Kind : uint8_t {
    Merged, ///< comes about by merging
    Whole,  ///< wherever it occurs it is one token, the longest from the left; never merged
    Split,  ///< is merged, and taken apart again if it is left at the end
  };

  /// Makes room for so many tokens.
  void reserve(size_t count) { tokens.reserve(count); }

  /// Adds a token; `text` is borrowed. An empty one is ignored. Of two with the same text
  /// the first counts, a whole one before others.
  void add(absl::string_view text, int32_t id, float score, Kind kind);

  struct Piece {
    absl::string_view text; ///< in the text that was encoded
    int32_t id;             ///< -1 for a character, or a byte outside of any, without a token
  };

  /// Appends the pieces of `text`, which is shorter than 2^32 - 1 bytes.
  void encode(absl::string_view text, std::vector<Piece> &pieces) const;

private:
  struct Token {
    int32_t id;
    float score;
    Kind kind;
  };
  struct Symbol;
  struct Candidate;
  class Merging;

  absl::flat_hash_map<absl::string_view, Token> tokens;
  SpecialTokens wholes;
  size_t longest = 0; ///< bytes of a token
};

} // namespace qrt

#endif // QUENCH_RT_LIB_TOKENIZER_SCOREMERGEENCODER_H
