//===- BlockArrangement.h - the parts of a block in layout rows8 ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One table for whoever packs blocks and for the compiler, which emits the code that reads
// them. What the parts are is described in Packing.h.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_FORMATS_BLOCKARRANGEMENT_H
#define QUENCH_RT_FORMATS_BLOCKARRANGEMENT_H

#include "quench-rt/Formats/Format.h"

#include <array>
#include <cstdint>
#include <optional>

namespace qrt {

/// Columns whose scales and codes lie together: those of a block of activations.
inline constexpr int64_t kArrangedColumns = 32;

/// Scales that a super-block has beside d and m, for each 32 columns.
enum class GroupScales : uint8_t { None, PerBlock, PerHalf, PerHalfWithMinima };

struct BlockArrangement {
  bool hasMinimum = false; ///< a second f16 word
  GroupScales scales = GroupScales::None;
  /// Bits of a code, low ones first; 0: there is no second plane.
  std::array<uint8_t, 2> planes = {};
  uint8_t offset = 0;       ///< subtracted from a code
  bool signedBytes = false; ///< a code is a signed byte
  /// The codes lie as the planes want them in the canonical block already.
  bool asStored = false;
};

/// None for formats whose numbers stand on their own.
std::optional<BlockArrangement> blockArrangement(Format format);

} // namespace qrt

#endif // QUENCH_RT_FORMATS_BLOCKARRANGEMENT_H
