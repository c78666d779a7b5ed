//===- Format.h - how the numbers of a tensor are stored ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One table of storage formats. A format cuts a row of K numbers into blocks of
// `blockElements` consecutive numbers, each stored in `blockBytes` bytes; a row is
// its blocks one after another, a tensor its rows one after another ("canonical
// bytes"). All words are little-endian.
//
// The block formats are those of GGUF files; their definition is the public
// `gguf` package's `gguf.quants` module, which the decoders here equal bit for bit
// (any NaN equals any NaN). Formulas, with d, m in f16 and every product and sum
// rounded to f32 separately, in the order written:
//
//   Q4_0  d·(q−8)      32 numbers: d, 16 bytes of nibbles; byte j holds numbers j
//   Q4_1  d·q + m                  (low) and j+16 (high)
//   Q5_0  d·(q−16)     the same with a word of fifth bits before the nibbles
//   Q5_1  d·q + m
//   Q8_0  q·d          d, 32 signed bytes
//   Q2_K  (d·s)·q − (m·t)   256 numbers in 16 groups, 4-bit s and t
//   Q3_K  (d·s)·q           16 groups, 6-bit s less 32, q in −4…3
//   Q4_K  (d·s)·q − (m·t)   8 groups, 6-bit s and t
//   Q5_K  (d·s)·q − (m·t)   8 groups, 6-bit s and t
//   Q6_K  (d·s)·q           16 groups, signed 8-bit s, q in −32…31
//
// Decoding honours subnormal numbers, so it expects the default floating-point
// environment (no flush to zero).
//
// Standard library only: this is shared by the runtime, the compiler and test
// harnesses for other machines.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_FORMATS_FORMAT_H
#define QUENCH_RT_FORMATS_FORMAT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qrt {

enum class Format : uint8_t {
  F32,
  F16,
  BF16,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
};

inline constexpr size_t kNumFormats = static_cast<size_t>(Format::Q6_K) + 1;

/// Decodes `blocks` consecutive blocks at `bytes` (any alignment) to `values`.
using DecodeBlocksFn = void (*)(const uint8_t *bytes, float *values, size_t blocks);

/// Encodes `blocks` consecutive blocks of `values` to `bytes`.
using EncodeBlocksFn = void (*)(const float *values, uint8_t *bytes, size_t blocks);

struct BlockCodes;

/// Takes one block apart.
using UnpackBlockFn = void (*)(const uint8_t *bytes, BlockCodes &result);

/// A row of the table.
struct FormatInfo {
  Format format;
  std::string_view name;  ///< as GGUF tools spell it, for instance "Q4_1"
  uint32_t ggmlType;      ///< the type number in GGUF files
  uint32_t blockElements; ///< 1: floating point; otherwise codes that share scales
  uint32_t blockBytes;
  DecodeBlocksFn decode;
  EncodeBlocksFn encode; ///< null where only decoding is offered
  UnpackBlockFn unpack;  ///< null in formats whose numbers stand on their own
};

/// The table's row of a format.
const FormatInfo &formatInfo(Format format);

inline std::string_view formatName(Format format) { return formatInfo(format).name; }

/// Looks a format up by its exact name; none if there is no such format.
std::optional<Format> formatByName(std::string_view name);

/// Looks a format up by GGUF type number; none if it is not supported.
std::optional<Format> formatByGgmlType(uint32_t ggmlType);

/// Name of a GGUF type number, including types that are not supported here; empty
/// for a number that GGUF does not define. For messages.
std::string_view ggmlTypeName(uint32_t ggmlType);

/// "F32, F16, …": every supported format, for messages.
std::string supportedFormatNames();

/// Bytes of a row of `k` numbers; 0 if `k` is not a positive multiple of the
/// format's block or the result does not fit.
size_t rowBytes(Format format, int64_t k);

/// Decodes a row of `n` numbers. False, and nothing written, if `n` is not a
/// positive multiple of the block.
bool decodeRow(Format format, const uint8_t *bytes, float *values, int64_t n);

/// Encodes a row of `n` numbers, codes rounded to nearest. False, and nothing
/// written, if `n` is not a positive multiple of the block or the format has no
/// encoder. Finite input gives the bytes of `gguf.quants`; a block with an
/// infinity or NaN gets a scale that is infinite or NaN, and codes without meaning.
bool encodeRow(Format format, const float *values, uint8_t *bytes, int64_t n);

} // namespace qrt

#endif // QUENCH_RT_FORMATS_FORMAT_H
