//===- StreamDecoder.h - text of ids that arrive one at a time -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A token may end inside a character. The decoder holds back the beginning of a
// character until the rest has come, so that every piece it hands out ends at a
// character's end. It holds back at most three bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_TOKENIZER_STREAMDECODER_H
#define QUENCH_RT_TOKENIZER_STREAMDECODER_H

#include "quench-rt/Tokenizer/Tokenizer.h"

#include <cstdint>
#include <string>

namespace qrt {

/// The pieces that append() and finally flush() return, joined, are exactly
/// Tokenizer::decode of all ids. Bytes that cannot become valid UTF-8 are passed on as
/// they are, without delay. Not for concurrent use.
class StreamDecoder {
public:
  /// `tokenizer` is borrowed and must outlive the decoder.
  explicit StreamDecoder(const Tokenizer &tokenizer, const DecodeOptions &options = {})
      : tokenizer(&tokenizer), options(options), atStart(!options.continues) {}

  /// The text that `id` completes; may be empty.
  std::string append(int32_t id);

  /// The bytes still held back (the beginning of a character that never ended, or
  /// nothing). Afterwards the decoder is as new.
  std::string flush();

private:
  const Tokenizer *tokenizer;
  DecodeOptions options;
  bool atStart;
  std::string pending;
};

} // namespace qrt

#endif // QUENCH_RT_TOKENIZER_STREAMDECODER_H
