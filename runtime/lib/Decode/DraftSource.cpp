//===- DraftSource.cpp - who proposes tokens ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/DraftSource.h"

#include <algorithm>

using namespace qrt;

int64_t qrt::proposeTokens(DraftSource &source, absl::Span<const int32_t> pending,
                           absl::Span<int32_t> candidates, int64_t vocabularySize) {
  int64_t count = source.propose(pending, candidates);
  count = std::min(std::max<int64_t>(count, 0), static_cast<int64_t>(candidates.size()));
  auto wrong = std::find_if(candidates.begin(), candidates.begin() + count,
                            [&](int32_t id) { return id < 0 || id >= vocabularySize; });
  return wrong - candidates.begin();
}
