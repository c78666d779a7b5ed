//===- Descriptor.cpp - what a library says of itself ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "quench-rt/abi.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;
namespace json = llvm::json;

static std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

/// Of kernels and of what every library has.
static constexpr StringLiteral kReservedPrefix = "quench_";

/// What the runtime can hand in (an argument) or take out (a result).
static LogicalResult checkBoundary(func::FuncOp function, StringRef what, int64_t number, Type type,
                                   bool hasMaxRows) {
  bool isArgument = what == "argument";
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool known =
      type.isIndex() || type.isSignlessInteger(64) || (isArgument && isa<CacheTypeInterface>(type));
  if (tensor) {
    Type element = tensor.getElementType();
    known = tensor.getRank() <= QRT_MAX_RANK &&
            (element.isF32() || element.isF16() || element.isSignlessInteger(64) ||
             element.isSignlessInteger(32) || element.isSignlessInteger(8));
  }
  if (!known)
    return function.emitError()
           << what << " " << number << " of an entry point has type " << type
           << "; supported: tensors of f32, f16, i64, i32 or i8 and of rank at most "
           << QRT_MAX_RANK << ", index, i64" << (isArgument ? ", caches" : "");
  if (tensor && !tensor.hasStaticShape() && !hasMaxRows)
    return function.emitError() << what << " " << number << " of an entry point has a dynamic size "
                                << "without a bound; put quench.max_rows on the module";
  return success();
}

LogicalResult Descriptor::addProgram(ModuleOp program) {
  json["abi_version"] = QRT_ABI_VERSION;
  auto maxRows = program->getAttrOfType<IntegerAttr>(QuenchDialect::getMaxRowsAttrName());
  json["max_rows"] = maxRows ? maxRows.getInt() : 1;
  for (auto weight : program.getOps<WeightOp>()) {
    auto type = cast<QTensorType>(weight.getType());
    weights[weight.getSymName()] = {weight.getKey().str(), type.getFormat().getName().str(),
                                    SmallVector<int64_t>(type.getShape()), type.getFormat()};
  }
  bool integers = false;
  program.walk([&](LinearOp op) { integers |= op.getActivations() == Activations::I8; });
  json["activations"] = integers ? "i8" : "f32";

  SmallVector<std::pair<Type, Attribute>> caches;
  auto describe = [&](Type type, Attribute cacheName = {}) {
    json::Object spec;
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      json::Array dims;
      for (int64_t dim : tensor.getShape())
        dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
      spec["kind"] = "tensor";
      spec["element"] = text(tensor.getElementType());
      spec["dims"] = std::move(dims);
    } else if (isa<CacheTypeInterface>(type)) {
      std::pair<Type, Attribute> cache(type, cacheName);
      auto place = llvm::find(caches, cache);
      spec["kind"] = "cache";
      spec["cache"] = int64_t(place - caches.begin());
      if (place == caches.end())
        caches.push_back(cache);
    } else {
      spec["kind"] = "scalar";
      spec["element"] = type.isIndex() ? "i64" : text(type);
      spec["dims"] = json::Array();
    }
    return spec;
  };
  json::Array list;
  for (auto function : program.getOps<func::FuncOp>()) {
    if (function.getName().starts_with(kReservedPrefix))
      return function.emitError("names that begin with ")
             << kReservedPrefix << " are the compiler's own";
    if (!function->hasAttr(QuenchDialect::getEntryAttrName()))
      continue;
    json::Array args, results;
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      if (failed(checkBoundary(function, "argument", i, type, bool(maxRows))))
        return failure();
      args.push_back(describe(type, function.getArgAttr(i, QuenchDialect::getCacheAttrName())));
    }
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      if (failed(checkBoundary(function, "result", i, type, bool(maxRows))))
        return failure();
      results.push_back(describe(type));
      if (auto name = function.getResultAttrOfType<StringAttr>(i, QuenchDialect::getNameAttrName()))
        (*results.back().getAsObject())["name"] = name.getValue();
    }
    entries.push_back(function.getName().str());
    list.push_back(json::Object{
        {"name", entries.back()}, {"args", std::move(args)}, {"results", std::move(results)}});
  }
  if (entries.empty())
    return program.emitError("has no entry point: mark a function with the attribute ")
           << QuenchDialect::getEntryAttrName();
  json["entries"] = std::move(list);
  json::Array cacheList;
  for (auto [type, name] : caches) {
    auto cache = cast<CacheTypeInterface>(type);
    cacheList.push_back(json::Object{{"kind", cache.getKind()},
                                     {"layers", cache.getLayers()},
                                     {"heads", cache.getHeads()},
                                     {"dim", cache.getDim()},
                                     {"element", text(cache.getElement())},
                                     {"slots", cache.getSlots()},
                                     {"page_bytes", getPageBytes(cache)}});
  }
  json["caches"] = std::move(cacheList);
  json::Array drafts;
  WalkResult walk = program.walk([&](DraftOp op) {
    if (!drafts.empty()) {
      op.emitOpError("is the second draft of the program; a compiled library has one");
      return WalkResult::interrupt();
    }
    drafts.push_back(
        json::Object{{"source", cast<DraftSourceAttrInterface>(op.getSource()).getName()},
                     {"max", int64_t(op.getMax())}});
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  json["drafts"] = std::move(drafts);
  return success();
}

namespace {
/// Which weights reach a value, through views and calls.
class WeightTrace {
public:
  explicit WeightTrace(ModuleOp module) {
    module.walk([&](func::CallOp call) { calls[call.getCallee()].push_back(call); });
  }
  ArrayRef<func::CallOp> callsOf(StringRef function) { return calls[function]; }

  void follow(ArrayRef<Value> values, llvm::SetVector<StringRef> &found) {
    DenseSet<Value> seen;
    SmallVector<Value> open(values);
    while (!open.empty()) {
      Value value = open.pop_back_val();
      while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
        value = view.getViewSource();
      if (!seen.insert(value).second)
        continue;
      if (auto weight = value.getDefiningOp<PackedWeightOp>()) {
        found.insert(weight.getWeight());
        continue;
      }
      auto argument = dyn_cast<BlockArgument>(value);
      auto function =
          argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
      if (function && argument.getOwner()->isEntryBlock())
        for (func::CallOp call : callsOf(function.getName()))
          open.push_back(call.getOperand(argument.getArgNumber()));
    }
  }

private:
  llvm::StringMap<SmallVector<func::CallOp>> calls;
};
} // namespace

void Descriptor::addKernels(ModuleOp module) {
  WeightTrace trace(module);
  json::Array list;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(QuenchDialect::getKernelAttrName()))
      continue;
    kernels.push_back(function.getName().str());
    llvm::SetVector<StringRef> read, beside;
    ArrayRef<func::CallOp> calls = trace.callsOf(function.getName());
    SmallVector<Value> operands, arguments;
    for (func::CallOp call : calls) {
      llvm::append_range(operands, call.getOperands());
      llvm::append_range(arguments, call->getParentOfType<func::FuncOp>().getArguments());
    }
    trace.follow(operands, read);
    // Attention reads none; what its caller is given tells the layer.
    if (read.empty())
      trace.follow(arguments, beside);
    auto keys = [&](llvm::SetVector<StringRef> &symbols) {
      json::Array result;
      for (StringRef symbol : symbols)
        if (auto weight = weights.find(symbol); weight != weights.end())
          result.push_back(weight->second.key);
      return result;
    };
    list.push_back(json::Object{{"name", kernels.back()},
                                {"uses", int64_t(calls.size())},
                                {"reads", keys(read)},
                                {"beside", keys(beside)}});
  }
  json["kernels"] = std::move(list);
}

LogicalResult Descriptor::addLowered(ModuleOp lowered) {
  json["workspace_bytes"] =
      lowered->getAttrOfType<IntegerAttr>(QuenchDialect::getWorkspaceBytesAttrName()).getInt();
  json["thread_workspace_bytes"] =
      lowered->getAttrOfType<IntegerAttr>(QuenchDialect::getThreadWorkspaceBytesAttrName())
          .getInt();
  json::Array list;
  for (Attribute entry :
       lowered->getAttrOfType<ArrayAttr>(QuenchDialect::getWeightTableAttrName())) {
    auto pair = cast<ArrayAttr>(entry);
    auto found = weights.find(cast<FlatSymbolRefAttr>(pair[0]).getValue());
    if (found == weights.end())
      return lowered.emitError("uses a weight that the program does not declare: ") << pair[0];
    const Weight &weight = found->second;
    auto layout = cast<LayoutAttrInterface>(pair[1]);
    RankedTensorType packed =
        layout.getPackedType(cast<FormatAttrInterface>(weight.formatAttr), weight.shape);
    int64_t bytes = packed.getNumElements() * packed.getElementTypeBitWidth() / 8;
    json::Array shape;
    for (int64_t dim : weight.shape)
      shape.push_back(dim);
    list.push_back(json::Object{{"key", weight.key},
                                {"format", weight.format},
                                {"layout", layout.getName()},
                                {"shape", std::move(shape)},
                                {"bytes", bytes}});
  }
  json["weights"] = std::move(list);
  return success();
}
