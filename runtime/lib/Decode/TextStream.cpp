//===- TextStream.cpp - from tokens to text, up to a stop -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/TextStream.h"

#include <algorithm>
#include <utility>

using namespace qrt;

std::string StopMatcher::append(absl::string_view piece) {
  if (found)
    return "";
  held.append(piece.data(), piece.size());
  // The one that is complete first counts, as if the text came byte by byte; of those
  // complete at the same byte the longest.
  size_t first = std::string::npos, end = std::string::npos;
  for (const std::string &stop : stops) {
    const size_t at = held.find(stop);
    if (at == std::string::npos || at + stop.size() > end)
      continue;
    first = at + stop.size() < end ? at : std::min(first, at);
    end = at + stop.size();
  }
  if (first != std::string::npos) {
    found = true;
    held.resize(first);
    return std::exchange(held, "");
  }
  // The longest end of the text that is a beginning of a stop.
  size_t keep = 0;
  for (const std::string &stop : stops)
    for (size_t n = std::min(stop.size() - 1, held.size()); n > keep; --n)
      if (held.compare(held.size() - n, n, stop, 0, n) == 0)
        keep = n;
  std::string certain = held.substr(0, held.size() - keep);
  held.erase(0, certain.size());
  return certain;
}

std::string StopMatcher::finish() { return found ? "" : std::exchange(held, ""); }
