//===- ByteAlphabet.h - the printable byte alphabet of GPT-2 ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// GPT-2 writes token strings with one printable character per byte, so that a
// vocabulary can be stored as text: the bytes 21–7E, A1–AC and AE–FF are the
// characters with the same code point, the 68 others, in order, U+0100 to U+0143.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_TOKENIZER_BYTEALPHABET_H
#define QUENCH_RT_LIB_TOKENIZER_BYTEALPHABET_H

#include "absl/strings/string_view.h"

#include <string>

namespace qrt {

/// The bytes that `text` stands for. A text with a character outside of the alphabet
/// stands for itself: some files have tokens that were added to a vocabulary later,
/// and their merges, written as they are.
std::string bytesFromAlphabet(absl::string_view text);

} // namespace qrt

#endif // QUENCH_RT_LIB_TOKENIZER_BYTEALPHABET_H
