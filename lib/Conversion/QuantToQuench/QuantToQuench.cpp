//===- QuantToQuench.cpp - weights in upstream quant types ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "QuantWeight.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Support/Hash.h"
#include "quench/Conversion/Passes.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

namespace mlir::quench {
#define GEN_PASS_DEF_CONVERTQUANTTOQUENCH
#include "quench/Conversion/Passes.h.inc"

namespace {
bool isQuantized(Type type) { return isa<quant::QuantizedType>(getElementTypeOrSelf(type)); }

/// Whether `value` is zero everywhere, as the destination of a plain product is.
bool isZero(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  return matchPattern(value, m_AnyZeroFloat());
}

/// How a product reads a dequantized weight.
enum class Use { Rows, Columns, Other };

/// x[m, k] times w[n, k] (Rows) or w[k, n] (Columns), with nothing added.
Use useOf(OpOperand &use) {
  auto matmul = dyn_cast<linalg::MatmulOp>(use.getOwner());
  if (!matmul || use.getOperandNumber() != 1 || matmul->getNumResults() != 1 ||
      !isZero(matmul.getOutputs()[0]))
    return Use::Other;
  auto x = dyn_cast<RankedTensorType>(matmul.getInputs()[0].getType()),
       y = dyn_cast<RankedTensorType>(matmul.getResultTypes()[0]);
  if (!x || !y || !x.getElementType().isF32() || !y.getElementType().isF32() ||
      x.getDimSize(1) <= 0 || y.getDimSize(1) <= 0)
    return Use::Other;
  MLIRContext *context = matmul.getContext();
  AffineExpr m = getAffineDimExpr(0, context), n = getAffineDimExpr(1, context),
             k = getAffineDimExpr(2, context);
  SmallVector<AffineMap> maps = matmul.getIndexingMapsArray();
  auto map = [&](AffineExpr a, AffineExpr b) { return AffineMap::get(3, 0, {a, b}, context); };
  if (maps[0] != map(m, k) || maps[2] != map(m, n))
    return Use::Other;
  return maps[1] == map(n, k) ? Use::Rows : maps[1] == map(k, n) ? Use::Columns : Use::Other;
}

struct ConvertQuantToQuench : impl::ConvertQuantToQuenchBase<ConvertQuantToQuench> {
  using ConvertQuantToQuenchBase::ConvertQuantToQuenchBase;

  void runOnOperation() override {
    if (activations != "f32" && activations != "i8") {
      getOperation().emitError("unknown activations '") << activations << "'; supported: f32, i8";
      return signalPassFailure();
    }
    SmallVector<quant::DequantizeCastOp> casts;
    getOperation().walk([&](quant::DequantizeCastOp op) { casts.push_back(op); });
    SymbolTable table(getOperation());
    symbols = &table;
    known.clear();
    encoded.clear();
    for (quant::DequantizeCastOp op : casts)
      if (failed(convert(op)))
        return signalPassFailure();
    if (failed(checkNothingLeft()) || failed(writeWeights()))
      signalPassFailure();
  }

private:
  LogicalResult convert(quant::DequantizeCastOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto storage = op.getInput().getDefiningOp<quant::StorageCastOp>();
    ElementsAttr codes;
    if (!type || !storage || !matchPattern(storage.getInput(), m_Constant(&codes)))
      return op.emitOpError("expected a constant weight (quant.scast of an arith.constant): the "
                            "dialect has no other quantized tensors");
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      Use kind = useOf(use);
      FailureOr<WeightOp> weight = declare(op, codes, type, kind == Use::Columns);
      if (failed(weight))
        return failure();
      auto shape = cast<QTensorType>(weight->getType()).getShape();
      OpBuilder b(use.getOwner());
      Location loc = use.getOwner()->getLoc();
      Value value = GetWeightOp::create(b, op.getLoc(), weight->getType(), weight->getSymName());
      if (kind == Use::Other) {
        use.set(DequantizeOp::create(b, op.getLoc(), RankedTensorType::get(shape, b.getF32Type()),
                                     value));
        continue;
      }
      auto matmul = cast<linalg::MatmulOp>(use.getOwner());
      auto linear = LinearOp::create(b, loc, matmul.getResultTypes(), matmul.getInputs()[0],
                                     ValueRange{value},
                                     activations == "i8" ? Activations::I8 : Activations::F32);
      matmul->replaceAllUsesWith(linear.getResults());
      matmul.erase();
    }
    Value input = storage.getInput();
    op.erase();
    if (storage->use_empty())
      storage.erase();
    if (input.use_empty())
      input.getDefiningOp()->erase();
    return success();
  }

  /// One symbol for each constant, type and direction. The name is that of the
  /// constant's location, if it has one.
  FailureOr<WeightOp> declare(quant::DequantizeCastOp op, ElementsAttr codes, RankedTensorType type,
                              bool transposed) {
    WeightOp &weight =
        known[{codes, TypeAttr::get(type), BoolAttr::get(&getContext(), transposed)}];
    if (weight)
      return weight;
    FailureOr<detail::EncodedWeight> canonical = detail::encodeWeight(
        [&] { return op.emitOpError("cannot be stored in a format of the dialect: "); }, codes,
        type, transposed, roundScales);
    if (failed(canonical))
      return failure();
    Operation *constant =
        op.getInput().getDefiningOp<quant::StorageCastOp>().getInput().getDefiningOp();
    auto name = dyn_cast<NameLoc>(constant->getLoc());
    OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
    if (!encoded.empty())
      b.setInsertionPointAfter(encoded.back().first);
    std::string hash = qrt::contentHash(canonical->bytes.data(), canonical->bytes.size());
    std::string symbol = name ? name.getName().str() : "weight";
    weight = WeightOp::create(b, constant->getLoc(), symbol, canonical->type, symbol, hash);
    weight.setKey(symbols->insert(weight)); // renamed where the name is taken
    encoded.emplace_back(weight, std::move(*canonical));
    return weight;
  }

  LogicalResult checkNothingLeft() {
    WalkResult result = getOperation().walk([](Operation *op) {
      bool left = llvm::any_of(op->getOperandTypes(), isQuantized) ||
                  llvm::any_of(op->getResultTypes(), isQuantized);
      if (auto function = dyn_cast<FunctionOpInterface>(op))
        left |= llvm::any_of(function.getArgumentTypes(), isQuantized) ||
                llvm::any_of(function.getResultTypes(), isQuantized);
      if (!left)
        return WalkResult::advance();
      op->emitOpError("has a quant type that is no constant weight: the dialect quantizes "
                      "activations inside quench.linear only");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult writeWeights() {
    if (encoded.empty())
      return success();
    if (weights.empty())
      return getOperation().emitError("has ")
             << encoded.size()
             << " weights, whose bytes go into a file: give the option weights=FILE";
    qrt::SafetensorsWriter writer;
    auto check = [&](const absl::Status &status) -> LogicalResult {
      if (status.ok())
        return success();
      return getOperation().emitError() << std::string(status.message());
    };
    for (auto &[weight, canonical] : encoded) {
      std::string key = weight.getKey().str(), text;
      llvm::raw_string_ostream stream(text);
      stream << canonical.type.getFormat().getName() << " ";
      llvm::interleave(canonical.type.getShape(), stream, "x");
      int64_t size = canonical.bytes.size();
      if (failed(check(writer.setMetadata(key, text))) ||
          failed(check(writer.addTensor(key, "U8", {size}, canonical.bytes.data(), size))))
        return failure();
    }
    return check(writer.write(weights));
  }

  SymbolTable *symbols = nullptr;
  DenseMap<std::tuple<Attribute, Attribute, Attribute>, WeightOp> known;
  SmallVector<std::pair<WeightOp, detail::EncodedWeight>> encoded;
};
} // namespace
} // namespace mlir::quench
