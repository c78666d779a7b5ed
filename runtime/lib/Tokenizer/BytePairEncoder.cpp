//===- BytePairEncoder.cpp - merges the bytes of a piece into tokens -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BytePairEncoder.h"

#include "ByteAlphabet.h"

#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>

using namespace qrt;

using Scratch = BytePairEncoder::Scratch;

/// The end of the list of symbols.
static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

static uint64_t pairKey(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

static absl::Status mergeError(size_t rank, const std::string &merge, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("merge ", rank, " (", qrt::quoted(merge), "): ", what));
}

absl::StatusOr<BytePairEncoder> BytePairEncoder::create(absl::Span<const Token> tokens,
                                                        absl::Span<const std::string> mergeList,
                                                        bool ignoreMerges) {
  BytePairEncoder encoder;
  encoder.byteIds.fill(-1);

  absl::flat_hash_map<absl::string_view, int32_t> idOfBytes;
  idOfBytes.reserve(tokens.size());
  for (const Token &token : tokens) {
    if (token.bytes.empty())
      continue;
    const bool isNew = idOfBytes.emplace(token.bytes, token.id).second;
    if (isNew && token.bytes.size() == 1)
      encoder.byteIds[static_cast<unsigned char>(token.bytes[0])] = token.id;
  }

  encoder.merges.reserve(mergeList.size());
  for (size_t rank = 0; rank < mergeList.size(); ++rank) {
    const std::string &merge = mergeList[rank];
    // The byte alphabet has no space, so the first one separates.
    const size_t space = merge.find(' ');
    if (space == std::string::npos || space == 0 || space + 1 == merge.size())
      return mergeError(rank, merge, "expected two tokens with a space between");
    const std::string left = bytesFromAlphabet(merge.substr(0, space));
    const std::string right = bytesFromAlphabet(merge.substr(space + 1));

    int32_t ids[3];
    const std::string parts[3] = {left, right, left + right};
    for (int i = 0; i < 3; ++i) {
      const auto found = idOfBytes.find(parts[i]);
      if (found == idOfBytes.end()) {
        constexpr absl::string_view names[3] = {"the left side", "the right side", "the result"};
        return mergeError(rank, merge, absl::StrCat(names[i], " is not a token"));
      }
      ids[i] = found->second;
    }
    encoder.merges.try_emplace(pairKey(ids[0], ids[1]), Merge{static_cast<int32_t>(rank), ids[2]});
  }
  if (ignoreMerges)
    encoder.wholePieces = std::move(idOfBytes);
  return encoder;
}

const BytePairEncoder::Merge *BytePairEncoder::findMerge(int32_t left, int32_t right) const {
  const auto found = merges.find(pairKey(left, right));
  return found == merges.end() ? nullptr : &found->second;
}

/// The heap's order: the top is the candidate of the lowest rank, then the leftmost.
static bool laterThan(const Scratch::Candidate &a, const Scratch::Candidate &b) {
  return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
}

void BytePairEncoder::pushCandidate(uint32_t left, Scratch &scratch) const {
  const Scratch::Symbol &symbol = scratch.symbols[left];
  if (symbol.next == none)
    return;
  const int32_t rightId = scratch.symbols[symbol.next].id;
  if (const Merge *merge = findMerge(symbol.id, rightId))
    scratch.heap.push_back({merge->rank, left, symbol.id, rightId, merge->id});
}

int64_t BytePairEncoder::encode(absl::string_view piece, Scratch &scratch,
                                std::vector<int32_t> &ids) const {
  if (!wholePieces.empty())
    if (const auto found = wholePieces.find(piece); found != wholePieces.end()) {
      ids.push_back(found->second);
      return 0;
    }

  std::vector<Scratch::Symbol> &symbols = scratch.symbols;
  std::vector<Scratch::Candidate> &heap = scratch.heap;
  symbols.clear();
  heap.clear();
  for (char byte : piece)
    if (const int32_t id = byteIds[static_cast<unsigned char>(byte)]; id >= 0) {
      const auto at = static_cast<uint32_t>(symbols.size());
      symbols.push_back({id, at - 1, at + 1}); // The first one's `previous` is `none`.
    }
  const int64_t dropped = static_cast<int64_t>(piece.size() - symbols.size());
  if (symbols.empty())
    return dropped;
  symbols.back().next = none;

  for (uint32_t left = 0; left + 1 < symbols.size(); ++left)
    pushCandidate(left, scratch);
  std::make_heap(heap.begin(), heap.end(), laterThan);

  const auto push = [&](uint32_t left) {
    const size_t before = heap.size();
    pushCandidate(left, scratch);
    if (heap.size() != before)
      std::push_heap(heap.begin(), heap.end(), laterThan);
  };
  while (!heap.empty()) {
    const Scratch::Candidate best = heap.front();
    std::pop_heap(heap.begin(), heap.end(), laterThan);
    heap.pop_back();

    Scratch::Symbol &left = symbols[best.left];
    if (left.id != best.leftId || left.next == none || symbols[left.next].id != best.rightId)
      continue;
    Scratch::Symbol &right = symbols[left.next];
    left.id = best.id;
    left.next = right.next;
    right.id = -1;
    if (left.next != none)
      symbols[left.next].previous = best.left;
    if (left.previous != none)
      push(left.previous);
    push(best.left);
  }

  for (uint32_t at = 0; at != none; at = symbols[at].next)
    ids.push_back(symbols[at].id);
  return dropped;
}
