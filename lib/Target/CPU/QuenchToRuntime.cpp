//===- QuenchToRuntime.cpp - the runtime's calling convention ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Mirrors the structures of quench-rt/abi.h; offsets below are those of its
// members.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quench-rt/abi.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Target/CPU/Passes.h"
#include "llvm/ADT/MapVector.h"
#include <cstddef>

namespace mlir::quench {
#define GEN_PASS_DEF_CONVERTQUENCHTORUNTIME
#include "quench/Target/CPU/Passes.h.inc"

namespace {
constexpr StringLiteral kHostGlobal = "quench_host";

/// The values that the calling convention adds to a function.
struct Frame {
  Value thread, threads, context, arguments; // arguments: entry points only
};

struct Lowering {
  Lowering(ModuleOp module) : module(module), types(module.getContext()) {
    pointer = LLVM::LLVMPointerType::get(module.getContext());
  }

  //===--- pieces ---------------------------------------------------------===//

  Value at(ImplicitLocOpBuilder &b, Value base, int64_t offset) {
    if (!offset)
      return base;
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  }
  Value at(ImplicitLocOpBuilder &b, Value base, Value bytes) {
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{integer(b, bytes)});
  }
  Value load(ImplicitLocOpBuilder &b, Type type, Value base, int64_t offset) {
    return LLVM::LoadOp::create(b, type, at(b, base, offset));
  }
  Value integer(ImplicitLocOpBuilder &b, Value index) {
    return index.getType().isIndex()
               ? arith::IndexCastOp::create(b, b.getI64Type(), index).getResult()
               : index;
  }
  Value index(ImplicitLocOpBuilder &b, Value i64) {
    return arith::IndexCastOp::create(b, b.getIndexType(), i64);
  }
  Value constant(ImplicitLocOpBuilder &b, int64_t v) {
    return arith::ConstantIndexOp::create(b, v);
  }

  /// A dense memref over `data`; dynamic sizes (index values) in order.
  Value memref(ImplicitLocOpBuilder &b, MemRefType type, Value data, ValueRange dynamic) {
    SmallVector<Value> sizes;
    unsigned next = 0;
    for (int64_t size : type.getShape())
      sizes.push_back(
          integer(b, ShapedType::isDynamic(size) ? dynamic[next++] : constant(b, size)));
    auto descriptor = MemRefDescriptor::poison(b, b.getLoc(), types.convertType(type));
    descriptor.setAllocatedPtr(b, b.getLoc(), data);
    descriptor.setAlignedPtr(b, b.getLoc(), data);
    descriptor.setConstantOffset(b, b.getLoc(), 0);
    Value stride = arith::ConstantIntOp::create(b, 1, 64);
    for (int64_t i = type.getRank() - 1; i >= 0; --i) {
      descriptor.setSize(b, b.getLoc(), i, sizes[i]);
      descriptor.setStride(b, b.getLoc(), i, stride);
      if (i)
        stride = arith::MulIOp::create(b, stride, sizes[i]);
    }
    Value result =
        UnrealizedConversionCastOp::create(b, TypeRange{type}, ValueRange{Value(descriptor)})
            .getResult(0);
    pointers[result] = data;
    return result;
  }

  /// A cache value as the pointer that it becomes.
  Value cachePointer(ImplicitLocOpBuilder &b, Value cache) {
    return UnrealizedConversionCastOp::create(b, TypeRange{pointer}, ValueRange{cache})
        .getResult(0);
  }

  /// Pointer to the first element of a dense memref.
  Value dataPointer(ImplicitLocOpBuilder &b, Value memref) {
    if (Value known = pointers.lookup(memref))
      return known;
    if (auto weight = memref.getDefiningOp<PackedWeightOp>())
      return weightPointer(b, weight);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
    auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
    int64_t bytes =
        llvm::divideCeil(cast<MemRefType>(memref.getType()).getElementTypeBitWidth(), 8);
    Value offset = arith::MulIOp::create(b, metadata.getOffset(), constant(b, bytes));
    return LLVM::IntToPtrOp::create(b, pointer, integer(b, arith::AddIOp::create(b, base, offset)));
  }

  Value weightPointer(ImplicitLocOpBuilder &b, PackedWeightOp op) {
    auto key = std::make_pair(op.getWeightAttr().getAttr(), Attribute(op.getLayout()));
    auto [place, added] = weights.insert({key, weights.size()});
    Value context = frames[op->getParentOfType<func::FuncOp>()].context;
    Value table = load(b, pointer, context, offsetof(qrt_context, weights));
    return load(b, pointer, table, 8 * place->second);
  }

  Value host(ImplicitLocOpBuilder &b, int64_t member) {
    Value address = LLVM::AddressOfOp::create(b, pointer, kHostGlobal);
    return load(b, pointer, LLVM::LoadOp::create(b, pointer, address), member);
  }

  //===--- signatures -----------------------------------------------------===//

  bool isEntry(func::FuncOp f) { return f->hasAttr(QuenchDialect::getEntryAttrName()); }
  bool isKernel(func::FuncOp f) { return f->hasAttr(QuenchDialect::getKernelAttrName()); }

  /// A kernel gets nothing from the runtime, so it can ask for nothing.
  LogicalResult checkKernel(func::FuncOp f) {
    if (isEntry(f))
      return f.emitError("is a kernel and an entry point; expected one of both");
    WalkResult result = f.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        auto callee =
            SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
        if (callee && isKernel(callee))
          return WalkResult::advance();
        call.emitOpError("in a kernel calls what is no kernel");
        return WalkResult::interrupt();
      }
      if (!isa<ThreadIdOp, NumThreadsOp, BarrierOp, WorkspaceOp, PackedWeightOp, HostDraftOp,
               ResultOp>(op))
        return WalkResult::advance();
      op->emitOpError(
          "cannot be in a kernel, which gets neither threads nor memory of the runtime");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Between functions of a program a dense memref is its pointer and its dynamic sizes.
  /// A descriptor would cost seven to nine values for each weight of each layer.
  static bool isDense(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && memref.getLayout().isIdentity();
  }

  /// Replaces the dense memrefs among the arguments, beginning with number `first`.
  void convertArguments(ImplicitLocOpBuilder &b, Block &body, unsigned first) {
    for (unsigned i = first; i < body.getNumArguments(); ++i) {
      BlockArgument old = body.getArgument(i);
      if (!isDense(old.getType()))
        continue;
      auto type = cast<MemRefType>(old.getType());
      Value data = body.insertArgument(i, pointer, old.getLoc());
      SmallVector<Value> sizes;
      for (int64_t n = 0, count = type.getNumDynamicDims(); n < count; ++n)
        sizes.push_back(index(b, body.insertArgument(++i, b.getI64Type(), old.getLoc())));
      old.replaceAllUsesWith(memref(b, type, data, sizes));
      body.eraseArgument(old.getArgNumber());
    }
  }

  LogicalResult convertSignature(func::FuncOp f) {
    if (isEntry(f) && f.getNumResults())
      return f.emitError("entry points hand out results through quench.result");
    Block &body = f.getBody().front();
    ImplicitLocOpBuilder b(f.getLoc(), f.getContext());
    Type i64 = b.getI64Type();
    unsigned count = body.getNumArguments();
    b.setInsertionPointToStart(&body);
    SmallVector<BlockArgument> added;
    for (Type type : {Type(i64), Type(i64), Type(pointer)})
      added.push_back(body.insertArgument(added.size(), type, f.getLoc()));
    Frame frame{added[0], added[1], added[2], {}};
    if (isEntry(f)) {
      frame.arguments = body.insertArgument(3u, pointer, f.getLoc());
      for (unsigned i = 0; i < count; ++i) {
        BlockArgument argument = body.getArgument(4);
        FailureOr<Value> value = incoming(b, frame.arguments, i, argument.getType());
        if (failed(value))
          return f.emitError("argument ")
                 << i << " of an entry point has type " << argument.getType()
                 << "; supported: tensors of rank at most " << QRT_MAX_RANK
                 << ", index, i64, caches";
        argument.replaceAllUsesWith(*value);
        body.eraseArgument(4);
      }
    } else {
      convertArguments(b, body, 3);
    }
    f.setFunctionType(FunctionType::get(f.getContext(), body.getArgumentTypes(),
                                        f.getFunctionType().getResults()));
    f.removeArgAttrsAttr();
    frames[f] = frame;
    return success();
  }

  FailureOr<Value> incoming(ImplicitLocOpBuilder &b, Value arguments, int64_t number, Type type) {
    int64_t base = number * int64_t(sizeof(qrt_tensor));
    Value data = load(b, pointer, arguments, base + offsetof(qrt_tensor, data));
    if (auto memrefType = dyn_cast<MemRefType>(type)) {
      if (memrefType.getRank() > QRT_MAX_RANK || !memrefType.getLayout().isIdentity())
        return failure();
      SmallVector<Value> sizes;
      for (auto [i, size] : llvm::enumerate(memrefType.getShape()))
        if (ShapedType::isDynamic(size))
          sizes.push_back(index(
              b, load(b, b.getI64Type(), arguments, base + offsetof(qrt_tensor, dims) + 8 * i)));
      return memref(b, memrefType, data, sizes);
    }
    if (type.isIndex())
      return index(b, load(b, b.getI64Type(), data, 0));
    if (type.isInteger(64))
      return load(b, b.getI64Type(), data, 0);
    if (isa<CacheTypeInterface>(type))
      return UnrealizedConversionCastOp::create(b, TypeRange{type}, ValueRange{data}).getResult(0);
    return failure();
  }

  LogicalResult convertCall(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (isKernel(callee))
      return success();
    if (isEntry(callee))
      return call.emitError("calls an entry point; make the shared part a private function");
    Frame &frame = frames[call->getParentOfType<func::FuncOp>()];
    ImplicitLocOpBuilder b(call.getLoc(), call);
    SmallVector<Value> operands = {frame.thread, frame.threads, frame.context};
    for (Value operand : call.getOperands()) {
      if (!isDense(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      operands.push_back(dataPointer(b, operand));
      for (auto [i, size] : llvm::enumerate(cast<MemRefType>(operand.getType()).getShape()))
        if (ShapedType::isDynamic(size))
          operands.push_back(integer(b, memref::DimOp::create(b, operand, constant(b, i))));
    }
    call->setOperands(operands);
    return success();
  }

  //===--- ops ------------------------------------------------------------===//

  void lower(ThreadIdOp op, Frame &frame) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(index(b, frame.thread));
  }
  void lower(NumThreadsOp op, Frame &frame) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(index(b, frame.threads));
  }
  void lower(BarrierOp op, Frame &frame) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value team = load(b, pointer, frame.context, offsetof(qrt_context, team));
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            {pointer, b.getI64Type()});
    LLVM::CallOp::create(b, type,
                         ValueRange{host(b, offsetof(qrt_host, barrier)), team, frame.thread});
  }
  void lower(WorkspaceOp op, Frame &frame) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value base = load(b, pointer, frame.context, offsetof(qrt_context, workspace));
    if (op.getThreadPrivate()) {
      int64_t shared =
          module->getAttrOfType<IntegerAttr>(QuenchDialect::getWorkspaceBytesAttrName()).getInt();
      int64_t own =
          module->getAttrOfType<IntegerAttr>(QuenchDialect::getThreadWorkspaceBytesAttrName())
              .getInt();
      Value skip = arith::MulIOp::create(b, frame.thread, arith::ConstantIntOp::create(b, own, 64));
      base = at(b, at(b, base, shared), skip);
    }
    op.replaceAllUsesWith(
        memref(b, cast<MemRefType>(op.getType()), at(b, base, op.getOffset()), op.getSizes()));
  }
  void lower(PackedWeightOp op, Frame &) {
    if (op.use_empty()) // passed on as a pointer
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(memref(b, cast<MemRefType>(op.getType()), weightPointer(b, op), {}));
  }
  void lower(CacheLengthOp op, Frame &) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(index(b, load(b, b.getI64Type(), cachePointer(b, op.getCache()),
                                        offsetof(qrt_cache_view, length))));
  }
  void lower(CacheCapacityOp op, Frame &) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(index(b, load(b, b.getI64Type(), cachePointer(b, op.getCache()),
                                        offsetof(qrt_cache_view, capacity))));
  }
  void lower(CacheCommitOp op, Frame &) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value address = at(b, cachePointer(b, op.getCache()), offsetof(qrt_cache_view, length));
    LLVM::StoreOp::create(b, integer(b, op.getLength()), address);
  }
  void lower(CachePageOp op, Frame &) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto cache = cast<CacheTypeInterface>(op.getCache().getType());
    int64_t bytes = cache.getElement().getWidth() / 8;
    Value pages = load(b, pointer, cachePointer(b, op.getCache()), offsetof(qrt_cache_view, pages));
    Value slot = arith::MulIOp::create(b, op.getPage(), constant(b, sizeof(void *)));
    Value page = LLVM::LoadOp::create(b, pointer, at(b, pages, slot));
    Value head = arith::AddIOp::create(
        b, arith::MulIOp::create(b, op.getLayer(), constant(b, cache.getHeads())), op.getHead());
    Value start = arith::MulIOp::create(b, head, constant(b, getHeadPageElements(cache) * bytes));
    Value data = at(b, page, start);
    if (op.getPart() == CachePart::Values)
      data = at(b, data, cache.getDim() * cache.getSlots() * bytes);
    op.replaceAllUsesWith(memref(b, cast<MemRefType>(op.getType()), data, {}));
  }
  void lower(HostDraftOp op, Frame &frame) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Type i64 = b.getI64Type();
    auto type = LLVM::LLVMFunctionType::get(i64, {pointer, i64, pointer, i64, i64, pointer});
    Value session = load(b, pointer, frame.context, offsetof(qrt_context, session));
    Value source = arith::ConstantIntOp::create(b, 0, 64); // lookup is the only source of a library
    Value pending = integer(b, memref::DimOp::create(b, op.getPending(), constant(b, 0)));
    auto call = LLVM::CallOp::create(b, type,
                                     ValueRange{host(b, offsetof(qrt_host, draft)), session, source,
                                                dataPointer(b, op.getPending()), pending,
                                                integer(b, op.getLimit()),
                                                dataPointer(b, op.getOutputs()[0])});
    // A host that answers with more (or fewer than none) cannot make rows appear.
    Value zero = arith::ConstantIntOp::create(b, 0, 64);
    Value bounded = arith::MinSIOp::create(b, arith::MaxSIOp::create(b, call.getResult(), zero),
                                           integer(b, op.getLimit()));
    memref::StoreOp::create(b, bounded, op.getOutputs()[1], ValueRange{constant(b, 0)});
  }
  void lower(ResultOp op, Frame &frame) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    int64_t base = op.getIndex() * int64_t(sizeof(qrt_tensor));
    Value data = load(b, pointer, frame.arguments, base + offsetof(qrt_tensor, data));
    Value value = op.getValue();
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type) {
      LLVM::StoreOp::create(b, integer(b, value), data);
      return;
    }
    SmallVector<Value> dynamic, sizes;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      sizes.push_back(memref::DimOp::create(b, value, constant(b, i)));
      if (!type.isDynamicDim(i))
        continue;
      dynamic.push_back(sizes.back());
      LLVM::StoreOp::create(b, integer(b, sizes.back()),
                            at(b, frame.arguments, base + offsetof(qrt_tensor, dims) + 8 * i));
    }
    Value target =
        memref(b, MemRefType::get(type.getShape(), type.getElementType()), data, dynamic);
    Value zero = constant(b, 0), one = constant(b, 1);
    SmallVector<Value> indices;
    for (Value size : sizes) {
      auto loop = scf::ForOp::create(b, zero, size, one);
      indices.push_back(loop.getInductionVar());
      b.setInsertionPointToStart(loop.getBody());
    }
    memref::StoreOp::create(b, memref::LoadOp::create(b, value, indices), target, indices);
  }

  template <typename... Ops> void lowerAll(func::FuncOp f, Frame &frame) {
    SmallVector<Operation *> ops;
    f.walk([&](Operation *op) {
      if (isa<Ops...>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      (void)((isa<Ops>(op) && (lower(cast<Ops>(op), frame), true)) || ...);
      op->erase();
    }
  }

  LogicalResult run() {
    ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
    b.setInsertionPointToStart(module.getBody());
    auto global = LLVM::GlobalOp::create(b, pointer, /*isConstant=*/false, LLVM::Linkage::Internal,
                                         kHostGlobal, Attribute());
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(b, ValueRange{LLVM::ZeroOp::create(b, pointer)});

    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp f : functions) {
      if (f.isExternal())
        return f.emitError("has no body; every function of a program must have one");
      if (isKernel(f)) {
        if (failed(checkKernel(f)))
          return failure();
        frames[f] = {};
      } else if (failed(convertSignature(f)))
        return failure();
    }
    for (func::FuncOp f : functions) {
      WalkResult result = f.walk([&](func::CallOp call) {
        return failed(convertCall(call)) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (result.wasInterrupted())
        return failure();
      lowerAll<ThreadIdOp, NumThreadsOp, BarrierOp, WorkspaceOp, PackedWeightOp, CacheLengthOp,
               CacheCapacityOp, CacheCommitOp, CachePageOp, HostDraftOp, ResultOp>(f, frames[f]);
    }
    for (func::FuncOp f : functions)
      convertCaches(f);
    recordWeights();
    return success();
  }

  /// What is left of cache values are arguments, casts and call operands.
  void convertCaches(func::FuncOp f) {
    auto change = [&](Value value) {
      if (isa<CacheTypeInterface>(value.getType()))
        value.setType(pointer);
    };
    f.walk([&](Block *block) { llvm::for_each(block->getArguments(), change); });
    SmallVector<UnrealizedConversionCastOp> casts;
    f.walk([&](Operation *op) {
      llvm::for_each(op->getResults(), change);
      if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
        casts.push_back(cast);
    });
    for (UnrealizedConversionCastOp cast : casts)
      if (cast.getNumOperands() == 1 && cast.getNumResults() == 1 &&
          cast.getOperand(0).getType() == cast.getType(0)) {
        cast.getResult(0).replaceAllUsesWith(cast.getOperand(0));
        cast.erase();
      }
    f.setFunctionType(FunctionType::get(f.getContext(), f.getBody().front().getArgumentTypes(),
                                        f.getFunctionType().getResults()));
  }

  void recordWeights() {
    Builder b(module.getContext());
    SmallVector<Attribute> table;
    for (auto &[key, place] : weights)
      table.push_back(b.getArrayAttr({FlatSymbolRefAttr::get(key.first), key.second}));
    module->setAttr(QuenchDialect::getWeightTableAttrName(), b.getArrayAttr(table));
    for (WeightOp weight : llvm::make_early_inc_range(module.getOps<WeightOp>()))
      weight.erase();
  }

  ModuleOp module;
  LLVMTypeConverter types;
  Type pointer;
  DenseMap<Operation *, Frame> frames;
  DenseMap<Value, Value> pointers; // of memrefs that were made of one
  llvm::MapVector<std::pair<StringAttr, Attribute>, int64_t> weights;
};

struct ConvertQuenchToRuntime : impl::ConvertQuenchToRuntimeBase<ConvertQuenchToRuntime> {
  void runOnOperation() override {
    if (failed(Lowering(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::quench
