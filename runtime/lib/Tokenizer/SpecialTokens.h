//===- SpecialTokens.h - finds the names of special tokens in a text -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_TOKENIZER_SPECIALTOKENS_H
#define QUENCH_RT_LIB_TOKENIZER_SPECIALTOKENS_H

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace qrt {

/// A set of names with their ids, searched from the left for the longest name. A trie,
/// so that the time at a position depends on the text there, not on how many names a
/// file lists; its memory is proportional to the total length of the names.
class SpecialTokens {
public:
  struct Match {
    size_t begin;
    size_t end;
    int32_t id;
  };

  /// Adds a name. An empty one is ignored; of two equal ones the first counts.
  void add(absl::string_view name, int32_t id);

  /// The first match at or after `from`; the longest of those that start there.
  std::optional<Match> find(absl::string_view text, size_t from) const;

  /// The longest match that starts at `begin`, which is inside of the text.
  std::optional<Match> matchAt(absl::string_view text, size_t begin) const;

  /// The id of exactly this name.
  std::optional<int32_t> lookup(absl::string_view name) const;

private:
  /// The node reached from `node` by `byte`, or 0 (the root, which no edge reaches).
  uint32_t step(uint32_t node, char byte) const;

  /// Edges of all nodes: node and byte to node.
  absl::flat_hash_map<uint64_t, uint32_t> edges;
  /// The id of the name that ends at a node, or -1.
  std::vector<int32_t> ids{-1};
  std::bitset<256> firstBytes;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_TOKENIZER_SPECIALTOKENS_H
