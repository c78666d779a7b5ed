//===- PackedFormat.cpp - where a block format's numbers lie in layout rows<8> ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PackedFormat.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

PackedFormat::PackedFormat(FormatAttrInterface format) {
  hasMinimum = isa<Q4_1Attr, Q5_1Attr, Q2_KAttr, Q4_KAttr, Q5_KAttr>(format);
  if (isa<Q4_KAttr, Q5_KAttr>(format))
    scales = GroupScales::PerBlock;
  else if (isa<Q3_KAttr, Q6_KAttr>(format))
    scales = GroupScales::PerHalf;
  else if (isa<Q2_KAttr>(format))
    scales = GroupScales::PerHalfWithMinima;

  if (isa<Q8_0Attr>(format))
    planes = {8};
  else if (isa<Q2_KAttr>(format))
    planes = {2};
  else if (isa<Q3_KAttr>(format))
    planes = {2, 1};
  else if (isa<Q6_KAttr>(format))
    planes = {4, 2};
  else if (isa<Q5_0Attr, Q5_1Attr, Q5_KAttr>(format))
    planes = {4, 1};
  else
    planes = {4};
  signedBytes = isa<Q8_0Attr>(format);
  if (isa<Q4_0Attr, Q5_0Attr, Q3_KAttr, Q6_KAttr>(format))
    offset = int64_t(1) << (bits() - 1);
}

int64_t PackedFormat::largest() const {
  if (isSigned())
    return int64_t(1) << (bits() - 1);
  return (int64_t(1) << bits()) - 1;
}

BlockPlace::BlockPlace(VectorEmitter &e, const PackedFormat &format, Value k) {
  if (format.blocks() == 1) {
    super = k;
    start = e.index(format.headerBytes());
    return;
  }
  Value blocks = e.index(format.blocks());
  super = arith::DivUIOp::create(e, k, blocks);
  Value within = arith::RemUIOp::create(e, k, blocks);
  start = e.add(e.mul(within, e.index(format.blockBytes())), e.index(format.headerBytes()));
}

Value mlir::quench::detail::assembleChunk(
    VectorEmitter &e, const PackedFormat &format, int64_t i,
    function_ref<Value(int64_t offset)> load,
    function_ref<Value(Value bytes, int64_t right, int64_t mask)> field) {
  Value code;
  int64_t offset = format.scaleBytes(), low = 0;
  for (int64_t bits : format.planes) {
    Value bytes = load(offset + 32 * (i % bits));
    Value part = bits == 8
                     ? bytes
                     : field(bytes, bits * (i / bits) - low, ((int64_t(1) << bits) - 1) << low);
    code = code ? Value(arith::OrIOp::create(e, code, part)) : part;
    offset += 32 * bits;
    low += bits;
  }
  return format.offset ? e.sub(code, e.splatInt(code.getType(), format.offset)) : code;
}
