//===- StreamDecoder.cpp - text of ids that arrive one at a time -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/StreamDecoder.h"

#include "quench-rt/Support/Utf8.h"

#include <utility>

using namespace qrt;

std::string StreamDecoder::append(int32_t id) {
  const absl::string_view bytes = tokenizer->decodeNext(id, options, atStart);
  pending.append(bytes.data(), bytes.size());
  const size_t ready = pending.size() - incompleteSuffix(pending);
  std::string out = pending.substr(0, ready);
  pending.erase(0, ready);
  return out;
}

std::string StreamDecoder::flush() {
  atStart = !options.continues;
  return std::exchange(pending, std::string());
}
