//===- TextStream.h - from tokens to text, up to a stop -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DECODE_TEXTSTREAM_H
#define QUENCH_RT_DECODE_TEXTSTREAM_H

#include "quench-rt/Tokenizer/StreamDecoder.h"

#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt {

/// Text of tokens that arrive one at a time.
class TextStream {
public:
  virtual ~TextStream() = default;
  /// The text that `id` completes; may be empty.
  virtual std::string append(int32_t id) = 0;
  /// What is still held back. Afterwards the stream is as new.
  virtual std::string finish() = 0;
};

/// The text of a tokenizer's ids.
class TokenizerStream final : public TextStream {
public:
  explicit TokenizerStream(const Tokenizer &tokenizer, const DecodeOptions &options = {})
      : decoder(tokenizer, options) {}
  std::string append(int32_t id) override { return decoder.append(id); }
  std::string finish() override { return decoder.flush(); }

private:
  StreamDecoder decoder;
};

/// Cuts a text that arrives in pieces before the first of several strings to be
/// completed, wherever the borders of the pieces are. Text that may turn out to be the
/// beginning of such a string is held back.
class StopMatcher {
public:
  /// None of the strings may be empty.
  explicit StopMatcher(std::vector<std::string> stops) : stops(std::move(stops)) {}

  /// The text that is now certain to come before any stop.
  std::string append(absl::string_view piece);

  /// What is still held back, once nothing more comes.
  std::string finish();

  /// Whether a stop has occurred; then append() and finish() return nothing more.
  bool stopped() const { return found; }

private:
  std::vector<std::string> stops;
  std::string held; ///< shorter than the longest stop, after append()
  bool found = false;
};

} // namespace qrt

#endif // QUENCH_RT_DECODE_TEXTSTREAM_H
