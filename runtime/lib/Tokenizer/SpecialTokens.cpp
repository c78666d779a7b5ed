//===- SpecialTokens.cpp - finds the names of special tokens in a text -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SpecialTokens.h"

using namespace qrt;

static uint64_t edgeKey(uint32_t node, char byte) {
  return uint64_t{node} << 8 | static_cast<unsigned char>(byte);
}

void SpecialTokens::add(absl::string_view name, int32_t id) {
  if (name.empty())
    return;
  firstBytes.set(static_cast<unsigned char>(name[0]));
  uint32_t node = 0;
  for (char byte : name) {
    const auto [edge, isNew] =
        edges.try_emplace(edgeKey(node, byte), static_cast<uint32_t>(ids.size()));
    if (isNew)
      ids.push_back(-1);
    node = edge->second;
  }
  if (ids[node] < 0)
    ids[node] = id;
}

uint32_t SpecialTokens::step(uint32_t node, char byte) const {
  const auto edge = edges.find(edgeKey(node, byte));
  return edge == edges.end() ? 0 : edge->second;
}

std::optional<SpecialTokens::Match> SpecialTokens::matchAt(absl::string_view text,
                                                           size_t begin) const {
  if (!firstBytes.test(static_cast<unsigned char>(text[begin])))
    return std::nullopt;
  std::optional<Match> longest;
  uint32_t node = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    node = step(node, text[at]);
    if (node == 0)
      break;
    if (ids[node] >= 0)
      longest = Match{begin, at + 1, ids[node]};
  }
  return longest;
}

std::optional<SpecialTokens::Match> SpecialTokens::find(absl::string_view text, size_t from) const {
  for (size_t begin = from; begin < text.size(); ++begin)
    if (const std::optional<Match> match = matchAt(text, begin))
      return match;
  return std::nullopt;
}

std::optional<int32_t> SpecialTokens::lookup(absl::string_view name) const {
  uint32_t node = 0;
  for (char byte : name) {
    node = step(node, byte);
    if (node == 0)
      return std::nullopt;
  }
  if (ids[node] < 0)
    return std::nullopt;
  return ids[node];
}
