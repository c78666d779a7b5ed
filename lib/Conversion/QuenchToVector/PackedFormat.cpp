//===- PackedFormat.cpp - where a block format's numbers lie in layout rows<8> ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PackedFormat.h"

#include "quench/Dialect/Quench/IR/RuntimeFormat.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;

PackedFormat::PackedFormat(FormatAttrInterface format)
    : BlockArrangement(*qrt::blockArrangement(*getRuntimeFormat(format))),
      blockElements(format.getBlockElements()) {}

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
    if (!bits)
      break;
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
