//===- ScoreMergeEncoder.cpp - merges characters by the scores of tokens ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ScoreMergeEncoder.h"

#include "quench-rt/Support/Utf8.h"

#include <algorithm>
#include <limits>
#include <optional>

using namespace qrt;

/// The end of the list of symbols.
static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

/// A stretch of the text; the stretches form a list from left to right.
struct ScoreMergeEncoder::Symbol {
  uint32_t begin;
  uint32_t length; ///< 0 once it is part of the symbol before it
  uint32_t previous;
  uint32_t next;
  bool whole;
};

/// A merge of `left` and the symbol after it into a token of `length` bytes. It is stale
/// if one of them has been merged since: symbols only grow, so their lengths tell.
struct ScoreMergeEncoder::Candidate {
  float score;
  uint32_t left;
  uint32_t length;

  /// The heap's order: the top is the candidate of the highest score, then the leftmost.
  bool operator<(const Candidate &other) const {
    return score != other.score ? score < other.score : left > other.left;
  }
};

/// The merging of one text.
class ScoreMergeEncoder::Merging {
public:
  Merging(const ScoreMergeEncoder &encoder, absl::string_view text) : encoder(encoder), text(text) {
    cut();
    for (uint32_t left = 0; left + 1 < symbols.size(); ++left)
      propose(left);
    std::make_heap(heap.begin(), heap.end());
  }

  void run();
  void output(std::vector<Piece> &pieces) const;

private:
  void cut();
  bool propose(uint32_t left);
  void pushProposal(uint32_t left) {
    if (propose(left))
      std::push_heap(heap.begin(), heap.end());
  }

  const ScoreMergeEncoder &encoder;
  absl::string_view text;
  std::vector<Symbol> symbols;
  std::vector<Candidate> heap;
  /// Where tokens of the kind Split, by id, are taken apart: the length of the left part.
  absl::flat_hash_map<int32_t, uint32_t> splits;
};

/// Makes a symbol of each character, byte outside of any, and whole token.
void ScoreMergeEncoder::Merging::cut() {
  for (size_t at = 0; at < text.size();) {
    const std::optional<SpecialTokens::Match> whole = encoder.wholes.matchAt(text, at);
    size_t end = at + 1;
    if (whole)
      end = whole->end;
    else if (const Utf8Character character = firstCharacter(text.substr(at)); character.complete)
      end = at + character.length;
    const auto index = static_cast<uint32_t>(symbols.size());
    // The first one's `previous` is `none`.
    symbols.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(end - at), index - 1,
                       index + 1, whole.has_value()});
    at = end;
  }
  if (!symbols.empty())
    symbols.back().next = none;
}

/// Appends the merge of `left` with the next symbol to the heap's memory, if there is one.
bool ScoreMergeEncoder::Merging::propose(uint32_t left) {
  const Symbol &symbol = symbols[left];
  if (symbol.next == none)
    return false;
  const Symbol &right = symbols[symbol.next];
  const uint64_t length = uint64_t{symbol.length} + right.length;
  if (symbol.whole || right.whole || length > encoder.longest)
    return false;
  const auto token = encoder.tokens.find(text.substr(symbol.begin, length));
  if (token == encoder.tokens.end())
    return false;
  if (token->second.kind == Kind::Split)
    splits[token->second.id] = symbol.length;
  heap.push_back({token->second.score, left, static_cast<uint32_t>(length)});
  return true;
}

void ScoreMergeEncoder::Merging::run() {
  while (!heap.empty()) {
    const Candidate best = heap.front();
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();

    Symbol &left = symbols[best.left];
    if (left.length == 0 || left.next == none ||
        left.length + symbols[left.next].length != best.length)
      continue;
    Symbol &right = symbols[left.next];
    left.length = best.length;
    left.next = right.next;
    right.length = 0;
    if (left.next != none)
      symbols[left.next].previous = best.left;
    if (left.previous != none)
      pushProposal(left.previous);
    pushProposal(best.left);
  }
}

void ScoreMergeEncoder::Merging::output(std::vector<Piece> &pieces) const {
  std::vector<absl::string_view> parts; // still to be written, the first one on top
  for (uint32_t at = symbols.empty() ? none : 0; at != none; at = symbols[at].next) {
    parts.push_back(text.substr(symbols[at].begin, symbols[at].length));
    while (!parts.empty()) {
      const absl::string_view part = parts.back();
      parts.pop_back();
      const auto token = encoder.tokens.find(part);
      if (token == encoder.tokens.end()) {
        pieces.push_back({part, -1});
        continue;
      }
      const auto split =
          token->second.kind == Kind::Split ? splits.find(token->second.id) : splits.end();
      if (split == splits.end()) {
        // Nothing makes an unused token of a single character but the text itself.
        pieces.push_back({part, token->second.kind == Kind::Split ? -1 : token->second.id});
        continue;
      }
      parts.push_back(part.substr(split->second));
      parts.push_back(part.substr(0, split->second));
    }
  }
}

void ScoreMergeEncoder::add(absl::string_view text, int32_t id, float score, Kind kind) {
  if (text.empty())
    return;
  const Token token = {id, score, kind};
  const auto [known, isNew] = tokens.try_emplace(text, token);
  if (kind == Kind::Whole) {
    if (!isNew && known->second.kind != Kind::Whole)
      known->second = token;
    wholes.add(text, id);
  }
  longest = std::max(longest, text.size());
}

void ScoreMergeEncoder::encode(absl::string_view text, std::vector<Piece> &pieces) const {
  Merging merging(*this, text);
  merging.run();
  merging.output(pieces);
}
