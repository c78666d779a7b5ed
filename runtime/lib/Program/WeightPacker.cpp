//===- WeightPacker.cpp - canonical bytes into their places ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "WeightPacker.h"

#include "Parallel.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

using namespace qrt;

/// Pieces of about this size: enough of them for all threads, and little of the
/// canonical file in memory at a time.
static constexpr size_t kPieceBytes = size_t(2) << 20;

/// Lets the system have the pages of a mapped file back. They are read again if someone
/// still needs them.
static void giveBack(const uint8_t *data, size_t bytes) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t start = reinterpret_cast<uintptr_t>(data) / page * page;
  uintptr_t end = reinterpret_cast<uintptr_t>(data) + bytes;
  madvise(reinterpret_cast<void *>(start), end - start, MADV_DONTNEED);
}

absl::StatusOr<WeightPacker> WeightPacker::create(const WeightSource &source,
                                                  absl::Span<const WeightSpec> weights) {
  WeightPacker packer(weights);
  for (size_t i = 0; i < weights.size(); ++i) {
    const WeightSpec &spec = weights[i];
    QRT_ASSIGN_OR_RETURN(CanonicalWeight tensor, source.find(spec.key));
    if (tensor.format != spec.format || tensor.columns != spec.columns || tensor.rows != spec.rows)
      return absl::InvalidArgumentError(
          absl::StrCat(source.path(), ": tensor ", qrt::quoted(spec.key), ": found ",
                       weightMetadata(tensor.format, tensor.rows, tensor.columns, tensor.vector),
                       ", but the compiled program expects ",
                       weightMetadata(spec.format, spec.rows, spec.columns, spec.vector)));
    packer.addPieces(i, tensor);
  }
  return packer;
}

void WeightPacker::addPieces(size_t index, const CanonicalWeight &tensor) {
  const size_t row = rowBytes(tensor.format, tensor.columns);
  const int64_t most =
      std::max<int64_t>(kRows8, static_cast<int64_t>(kPieceBytes / row) / kRows8 * kRows8);
  for (int64_t done = 0; done < tensor.rows; done += most)
    pieces.push_back({index, tensor.data + static_cast<size_t>(done) * row,
                      std::min(most, tensor.rows - done), done});
}

void WeightPacker::packPiece(const Piece &piece, uint8_t *to) const {
  const WeightSpec &spec = weights[piece.weight];
  // Cannot fail: create() and parseDescriptor() have checked what pack() checks.
  pack(spec.format, spec.layout, piece.data, piece.rows, spec.columns, to, piece.firstRow);
  giveBack(piece.data, static_cast<size_t>(piece.rows) * rowBytes(spec.format, spec.columns));
}

void WeightPacker::packAll(uint8_t *base, absl::Span<const size_t> offsets, int threads) const {
  parallelFor(pieces.size(), threads,
              [&](size_t i) { packPiece(pieces[i], base + offsets[pieces[i].weight]); });
}

void WeightPacker::packOne(size_t weight, uint8_t *to) const {
  auto first = std::lower_bound(pieces.begin(), pieces.end(), weight,
                                [](const Piece &piece, size_t w) { return piece.weight < w; });
  for (; first != pieces.end() && first->weight == weight; ++first)
    packPiece(*first, to);
}
