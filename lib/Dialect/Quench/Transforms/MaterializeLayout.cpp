//===- MaterializeLayout.cpp - weights as packed tensors, model ops as block ops ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHMATERIALIZELAYOUT
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
/// Best columns are found in segments of at most this many: one tile of the head.
constexpr int64_t kMaxSegment = 64;

struct MaterializeLayout : impl::QuenchMaterializeLayoutBase<MaterializeLayout> {
  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    layouts.clear();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(assign(function)))
        return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(convert(function)))
        return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      updateSignature(function);
    WalkResult left = getOperation().walk([](Operation *op) {
      if (!llvm::any_of(op->getOperandTypes(), llvm::IsaPred<QTensorType>))
        return WalkResult::advance();
      op->emitOpError("cannot use a weight: only model ops and calls can");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }

  //===--------------------------------------------------------------------===//
  // Which layout a weight argument has
  //===--------------------------------------------------------------------===//

  /// The layout in which `use` reads its operand; null for a use that reads none.
  FailureOr<LayoutAttrInterface> layoutOf(OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto call = dyn_cast<func::CallOp>(user)) {
      FailureOr<func::FuncOp> callee = calleeOf(call);
      if (failed(callee) || failed(assign(*callee)))
        return failure();
      return layouts.lookup(callee->getArgument(use.getOperandNumber()));
    }
    if (auto slice = dyn_cast<SliceOp>(user))
      return layoutOf(slice.getResult());
    return chosenLayout(user);
  }

  /// What quench-assign-layout, or whoever wrote the IR, chose for `op`.
  static FailureOr<LayoutAttrInterface> chosenLayout(Operation *op) {
    if (!isa<LinearOp, EmbeddingOp, RMSNormOp, LayerNormOp, DequantizeOp>(op))
      return op->emitOpError("cannot use a weight: only model ops and calls can"), failure();
    if (auto layout = op->getAttrOfType<LayoutAttrInterface>(QuenchDialect::getLayoutAttrName()))
      return layout;
    return op->emitOpError(
               "reads a weight but has no quench.layout; run quench-assign-layout before"),
           failure();
  }

  /// The function that `call`, which passes weights, calls.
  FailureOr<func::FuncOp> calleeOf(func::CallOp call) {
    auto callee = symbols->lookup<func::FuncOp>(call.getCallee());
    if (callee && !callee.isExternal())
      return callee;
    return call.emitOpError("expected a callee with a body for a weight operand"), failure();
  }

  FailureOr<LayoutAttrInterface> layoutOf(Value weight) {
    LayoutAttrInterface found;
    for (OpOperand &use : weight.getUses()) {
      FailureOr<LayoutAttrInterface> layout = layoutOf(use);
      if (failed(layout))
        return failure();
      if (found && *layout && found != *layout)
        return emitError(weight.getLoc())
                   << "a weight is read in two layouts, " << found.getName() << " and "
                   << layout->getName() << ", through one argument",
               failure();
      if (*layout)
        found = *layout;
    }
    return found ? found : LayoutAttrInterface(PlainAttr::get(&getContext()));
  }

  LogicalResult assign(func::FuncOp function) {
    if (function.isExternal())
      return success();
    for (BlockArgument argument : function.getArguments()) {
      if (!isa<QTensorType>(argument.getType()) || layouts.count(argument))
        continue;
      layouts[argument] = {}; // a recursive call finds nothing here
      FailureOr<LayoutAttrInterface> layout = layoutOf(argument);
      if (failed(layout))
        return failure();
      layouts[argument] = *layout;
    }
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Conversion
  //===--------------------------------------------------------------------===//

  static RankedTensorType packedType(Value weight, LayoutAttrInterface layout) {
    auto type = cast<QTensorType>(weight.getType());
    return layout.getPackedType(type.getFormat(), type.getShape());
  }

  /// The packed form of `weight`; `b` stands where it is needed.
  FailureOr<Value> packed(ImplicitLocOpBuilder &b, Value weight, LayoutAttrInterface layout) {
    Value &known = converted[{weight, layout}];
    if (known)
      return known;
    OpBuilder::InsertionGuard guard(b);
    RankedTensorType type = packedType(weight, layout);
    if (!type)
      return emitError(weight.getLoc())
                 << "layout " << layout.getName() << " has no form for " << weight.getType(),
             failure();
    if (auto argument = dyn_cast<BlockArgument>(weight)) {
      // The argument itself changes its type at the end; until then uses go
      // through a cast that updateSignature removes.
      b.setInsertionPointToStart(argument.getOwner());
      return known = UnrealizedConversionCastOp::create(b, TypeRange{type}, ValueRange{argument})
                         .getResult(0);
    }
    Operation *def = weight.getDefiningOp();
    b.setInsertionPointAfter(def);
    if (auto get = dyn_cast<GetWeightOp>(def))
      return known = PackedWeightOp::create(b, type, get.getWeightAttr(), layout);
    if (auto slice = dyn_cast<SliceOp>(def)) {
      FailureOr<Value> source = packed(b, slice.getSource(), layout);
      if (failed(source))
        return failure();
      int64_t unit = isa<RowsAttr>(layout) ? cast<RowsAttr>(layout).getCount() : 1;
      if (slice.getOffset() % unit != 0)
        return slice.emitOpError("expected an offset that is a multiple of ")
                   << unit << " in layout " << layout.getName() << ", got " << slice.getOffset(),
               failure();
      SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
          strides(type.getRank(), b.getIndexAttr(1)), sizes;
      offsets[0] = b.getIndexAttr(slice.getOffset() / unit);
      for (int64_t size : type.getShape())
        sizes.push_back(b.getIndexAttr(size));
      return converted[{weight, layout}] =
                 tensor::ExtractSliceOp::create(b, type, *source, offsets, sizes, strides);
    }
    return def->emitOpError("cannot be given a layout"), failure();
  }

  static Value empty(ImplicitLocOpBuilder &b, Value rows, int64_t columns, Type element) {
    return tensor::EmptyOp::create(
        b, ArrayRef<OpFoldResult>{rowCount(b, rows), b.getIndexAttr(columns)}, element);
  }
  static Value empty(ImplicitLocOpBuilder &b, Value rows, Type element) {
    return tensor::EmptyOp::create(b, ArrayRef<OpFoldResult>{rowCount(b, rows)}, element);
  }
  static OpFoldResult rowCount(ImplicitLocOpBuilder &b, Value rows) {
    return tensor::getMixedSize(b, b.getLoc(), rows, 0);
  }
  static int64_t columns(Value rows) {
    return cast<RankedTensorType>(rows.getType()).getDimSize(1);
  }

  /// Shapes of destinations follow their inputs; the original result type may be
  /// less or more static.
  static Value castTo(ImplicitLocOpBuilder &b, Value value, Type type) {
    return value.getType() == type ? value : Value(tensor::CastOp::create(b, type, value));
  }

  struct Quantized {
    Value codes, scales, sums;
  };

  static Quantized quantize(ImplicitLocOpBuilder &b, Value x) {
    int64_t blocks = columns(x) / 32;
    SmallVector<Value> outs = {empty(b, x, 32 * blocks, b.getI8Type()),
                               empty(b, x, blocks, b.getF32Type()),
                               empty(b, x, blocks, b.getF32Type())};
    auto op = BlockQuantizeOp::create(b, ValueRange(outs).getTypes(), x, outs);
    return {op.getResult(0), op.getResult(1), op.getResult(2)};
  }

  LogicalResult lower(LinearOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    FailureOr<LayoutAttrInterface> layout = chosenLayout(op);
    if (failed(layout))
      return failure();
    Value x = op.getInput();
    bool wantsIntegers =
        op.getActivations() == Activations::I8 && llvm::any_of(op.getWeights(), [](Value weight) {
          return !cast<QTensorType>(weight.getType()).getFormat().getFloatType();
        });
    Quantized q;
    if (wantsIntegers) {
      // Layers that read the same rows apart share one quantization, too.
      Quantized &known = quantized[x];
      if (!known.codes)
        known = quantize(b, x);
      q = known;
    }
    for (auto [weight, output] : llvm::zip(op.getWeights(), op.getOutputs())) {
      auto type = cast<QTensorType>(weight.getType());
      FailureOr<Value> bytes = packed(b, weight, *layout);
      if (failed(bytes))
        return failure();
      int64_t features = type.getShape()[0], padded = llvm::alignTo(features, 8);
      Value init = empty(b, x, padded, b.getF32Type());
      bool integers = wantsIntegers && !type.getFormat().getFloatType();
      auto matmul =
          BlockMatmulOp::create(b, TypeRange{init.getType()}, *bytes, integers ? q.codes : x,
                                integers ? q.scales : Value(), integers ? q.sums : Value(),
                                ValueRange{init}, type.getFormat());
      Value result = matmul.getResult(0);
      if (padded != features) {
        OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
        result = tensor::ExtractSliceOp::create(
            b, result, ArrayRef<OpFoldResult>{zero, zero},
            ArrayRef<OpFoldResult>{rowCount(b, x), b.getIndexAttr(features)},
            ArrayRef<OpFoldResult>{one, one});
      }
      output.replaceAllUsesWith(castTo(b, result, output.getType()));
    }
    return success();
  }

  LogicalResult lower(EmbeddingOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto type = cast<QTensorType>(op.getWeight().getType());
    FailureOr<LayoutAttrInterface> layout = chosenLayout(op);
    if (failed(layout))
      return failure();
    FailureOr<Value> bytes = packed(b, op.getWeight(), *layout);
    if (failed(bytes))
      return failure();
    Value init = empty(b, op.getIds(), type.getShape()[1], b.getF32Type());
    auto block = BlockEmbeddingOp::create(b, TypeRange{init.getType()}, *bytes, op.getIds(),
                                          ValueRange{init}, type.getShape()[0], type.getFormat());
    op.getResult().replaceAllUsesWith(castTo(b, block.getResult(0), op.getType()));
    return success();
  }

  LogicalResult lowerNorm(Operation *op, Value x, Value weight, Value bias, NormKind kind,
                          FloatAttr eps) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    FailureOr<LayoutAttrInterface> layout = chosenLayout(op);
    if (failed(layout))
      return failure();
    FailureOr<Value> scale = packed(b, weight, *layout);
    FailureOr<Value> shift = bias ? packed(b, bias, *layout) : FailureOr<Value>(Value());
    if (failed(scale) || failed(shift))
      return failure();
    Value init = empty(b, x, columns(x), b.getF32Type());
    auto block = BlockNormOp::create(b, TypeRange{init.getType()}, kind, x, *scale, *shift,
                                     ValueRange{init}, eps.getValue());
    op->getResult(0).replaceAllUsesWith(castTo(b, block.getResult(0), op->getResult(0).getType()));
    return success();
  }

  LogicalResult lower(DequantizeOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    FailureOr<LayoutAttrInterface> layout = chosenLayout(op);
    if (failed(layout))
      return failure();
    FailureOr<Value> value = packed(b, op.getSource(), *layout);
    if (failed(value))
      return failure();
    if (value->getType() != op.getType())
      return op.emitOpError("has no kernel for ")
             << op.getSource().getType() << " in layout " << layout->getName();
    op.getResult().replaceAllUsesWith(*value);
    return success();
  }

  LogicalResult lower(RopeOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    int64_t rotated = 2 * int64_t(op.getInvFreq().size());
    Value table = empty(b, op.getPositions(), rotated, b.getF32Type());
    table = BlockRopeTableOp::create(b, TypeRange{table.getType()}, op.getPositions(),
                                     ValueRange{table}, op.getInvFreqAttr())
                .getResult(0);
    Value init = empty(b, op.getInput(), columns(op.getInput()), b.getF32Type());
    auto block = BlockRopeOp::create(b, TypeRange{init.getType()}, op.getStyle(), op.getInput(),
                                     table, ValueRange{init}, op.getDim());
    op.getResult().replaceAllUsesWith(castTo(b, block.getResult(0), op.getType()));
    return success();
  }

  LogicalResult lower(AttentionOp op) {
    if (op.getSequences())
      return op.emitOpError("has no kernel for several sequences on this target");
    if (op.getMask())
      return op.emitOpError("has no kernel for a mask on this target");
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto cache = cast<CacheTypeInterface>(op.getCache().getType());
    BlockAppendOp::create(b, TypeRange{}, op.getKey(), op.getValue(), op.getPositions(),
                          op.getCache(), op.getLayer(), ValueRange{});
    int64_t width = columns(op.getQuery());
    Value init = empty(b, op.getQuery(), width, b.getF32Type());
    Value first = arith::ConstantIndexOp::create(b, 0);
    IntegerAttr group = b.getI64IntegerAttr(width / (cache.getHeads() * cache.getDim()));
    auto block = BlockAttendOp::create(
        b, TypeRange{init.getType()}, op.getQuery(), op.getPositions(), op.getCache(),
        op.getLayer(), first, ValueRange{init}, group, op.getScaleAttr(), op.getWindowAttr());
    op.getResult().replaceAllUsesWith(castTo(b, block.getResult(0), op.getType()));
    return success();
  }

  LogicalResult lower(QuantizeOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Quantized q = quantize(b, op.getInput());
    op.getCodes().replaceAllUsesWith(castTo(b, q.codes, op.getCodes().getType()));
    op.getScales().replaceAllUsesWith(castTo(b, q.scales, op.getScales().getType()));
    op.getSums().replaceAllUsesWith(castTo(b, q.sums, op.getSums().getType()));
    return success();
  }

  LogicalResult lower(ArgmaxOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    int64_t width = columns(op.getInput()), segment = std::min(width, kMaxSegment);
    while (width % segment != 0 || (segment % 8 != 0 && width % 8 == 0))
      --segment;
    int64_t parts = width / segment;
    SmallVector<Value> outs = {empty(b, op.getInput(), parts, b.getF32Type()),
                               empty(b, op.getInput(), parts, b.getI32Type())};
    Value origin = arith::ConstantIndexOp::create(b, 0);
    auto best =
        BlockArgmaxOp::create(b, ValueRange(outs).getTypes(), op.getInput(), origin, outs, segment);
    SmallVector<Value> merged = {empty(b, op.getInput(), b.getI32Type()),
                                 empty(b, op.getInput(), b.getF32Type())};
    auto merge = BlockArgmaxMergeOp::create(b, ValueRange(merged).getTypes(), best.getResult(0),
                                            best.getResult(1), merged);
    op.getIds().replaceAllUsesWith(castTo(b, merge.getResult(0), op.getIds().getType()));
    op.getValues().replaceAllUsesWith(castTo(b, merge.getResult(1), op.getValues().getType()));
    return success();
  }

  LogicalResult lower(func::CallOp op) {
    if (!llvm::any_of(op.getOperandTypes(), llvm::IsaPred<QTensorType>))
      return success();
    FailureOr<func::FuncOp> callee = calleeOf(op);
    if (failed(callee))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<QTensorType>(operand.get().getType()))
        continue;
      FailureOr<Value> value =
          packed(b, operand.get(), layouts.lookup(callee->getArgument(operand.getOperandNumber())));
      if (failed(value))
        return failure();
      operand.set(*value);
    }
    return success();
  }

  LogicalResult convert(func::FuncOp function) {
    converted.clear();
    quantized.clear();
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) { ops.push_back(op); });
    SmallVector<Operation *> dead;
    for (Operation *op : ops) {
      LogicalResult result =
          TypeSwitch<Operation *, LogicalResult>(op)
              .Case<LinearOp, EmbeddingOp, DequantizeOp, RopeOp, AttentionOp, QuantizeOp, ArgmaxOp>(
                  [&](auto typed) {
                    dead.push_back(op);
                    return lower(typed);
                  })
              .Case<RMSNormOp>([&](RMSNormOp norm) {
                dead.push_back(op);
                return lowerNorm(op, norm.getInput(), norm.getWeight(), {}, NormKind::RMS,
                                 norm.getEpsAttr());
              })
              .Case<LayerNormOp>([&](LayerNormOp norm) {
                dead.push_back(op);
                return lowerNorm(op, norm.getInput(), norm.getWeight(), norm.getBias(),
                                 NormKind::Layer, norm.getEpsAttr());
              })
              .Case<func::CallOp>([&](func::CallOp call) { return lower(call); })
              .Case<GetWeightOp, SliceOp>([&](auto) {
                dead.push_back(op);
                return success();
              })
              .Default([](Operation *) { return success(); });
      if (failed(result))
        return failure();
    }
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty())
        op->erase();
    return success();
  }

  void updateSignature(func::FuncOp function) {
    if (function.isExternal())
      return;
    for (BlockArgument argument : function.getArguments()) {
      auto layout = layouts.find(argument);
      if (layout == layouts.end())
        continue;
      RankedTensorType type = packedType(argument, layout->second);
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        user->getResult(0).replaceAllUsesWith(argument);
        user->erase();
      }
      argument.setType(type);
    }
    function.setFunctionType(FunctionType::get(&getContext(),
                                               function.getBody().front().getArgumentTypes(),
                                               function.getFunctionType().getResults()));
  }

  SymbolTable *symbols = nullptr;
  DenseMap<Value, LayoutAttrInterface> layouts;
  DenseMap<std::pair<Value, Attribute>, Value> converted;
  DenseMap<Value, Quantized> quantized;
};
} // namespace
} // namespace mlir::quench
