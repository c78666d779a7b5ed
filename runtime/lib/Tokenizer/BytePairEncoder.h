//===- BytePairEncoder.h - merges the bytes of a piece into tokens ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_TOKENIZER_BYTEPAIRENCODER_H
#define QUENCH_RT_LIB_TOKENIZER_BYTEPAIRENCODER_H

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace qrt {

/// Byte-pair encoding: while any neighbours have a merge, merge the pair of the lowest
/// rank, the leftmost of equals. A heap of candidates makes that O(n log n).
class BytePairEncoder {
public:
  /// A token that merging may produce: its bytes (borrowed) and its id.
  struct Token {
    absl::string_view bytes;
    int32_t id;
  };

  /// Memory that encode() uses again from piece to piece; not for concurrent use.
  struct Scratch;

  /// `tokens` are the tokens that text may become; of two with the same bytes the first
  /// counts. Each merge names two of them (in the byte alphabet of GPT-2, with a space
  /// between) whose bytes, joined, are a third.
  static absl::StatusOr<BytePairEncoder>
  create(absl::Span<const Token> tokens, absl::Span<const std::string> merges, bool ignoreMerges);

  /// Appends the ids of `piece`, which is shorter than 2^31 bytes. Returns how many
  /// bytes have no token; they are left out before anything is merged.
  int64_t encode(absl::string_view piece, Scratch &scratch, std::vector<int32_t> &ids) const;

  /// True if `byte` has a token.
  bool hasByte(unsigned char byte) const { return byteIds[byte] >= 0; }

private:
  struct Merge {
    int32_t rank;
    int32_t id;
  };

  const Merge *findMerge(int32_t left, int32_t right) const;
  void pushCandidate(uint32_t left, Scratch &scratch) const;

  std::array<int32_t, 256> byteIds;
  absl::flat_hash_map<uint64_t, Merge> merges;
  /// The bytes of each token; used only when whole pieces are looked up.
  absl::flat_hash_map<absl::string_view, int32_t> wholePieces;
};

struct BytePairEncoder::Scratch {
  /// A stretch of the piece; the stretches form a list from left to right.
  struct Symbol {
    int32_t id; ///< -1 once it is part of the symbol before it
    uint32_t previous;
    uint32_t next;
  };
  /// A merge of `left` and the symbol after it. It is stale if one of them has been
  /// merged since; then the ids no longer agree.
  struct Candidate {
    int32_t rank;
    uint32_t left;
    int32_t leftId;
    int32_t rightId;
    int32_t id;
  };
  std::vector<Symbol> symbols;
  std::vector<Candidate> heap;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_TOKENIZER_BYTEPAIRENCODER_H
