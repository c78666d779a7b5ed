//===- Descriptor.cpp - what a library says of itself ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quench-rt/abi.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"

using namespace mlir;
using namespace mlir::quench;
using namespace mlir::quench::detail;
namespace json = llvm::json;

static std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

LogicalResult Descriptor::addProgram(ModuleOp program) {
  json["abi_version"] = QRT_ABI_VERSION;
  int64_t maxRows = 0;
  if (auto attr = program->getAttrOfType<IntegerAttr>(QuenchDialect::getMaxRowsAttrName()))
    maxRows = attr.getInt();
  json["max_rows"] = maxRows;
  for (auto weight : program.getOps<WeightOp>()) {
    auto type = cast<QTensorType>(weight.getType());
    weights[weight.getSymName()] = {weight.getKey().str(), type.getFormat().getName().str(),
                                    SmallVector<int64_t>(type.getShape()), type.getFormat()};
  }
  bool integers = false;
  program.walk([&](LinearOp op) { integers |= op.getActivations() == Activations::I8; });
  json["activations"] = integers ? "i8" : "f32";

  SmallVector<Type> caches;
  auto describe = [&](Type type) {
    json::Object spec;
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      json::Array dims;
      for (int64_t dim : tensor.getShape())
        dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
      spec["kind"] = "tensor";
      spec["element"] = text(tensor.getElementType());
      spec["dims"] = std::move(dims);
    } else if (isa<CacheTypeInterface>(type)) {
      auto place = llvm::find(caches, type);
      spec["kind"] = "cache";
      spec["cache"] = int64_t(place - caches.begin());
      if (place == caches.end())
        caches.push_back(type);
    } else {
      spec["kind"] = "scalar";
      spec["element"] = type.isIndex() ? "i64" : text(type);
      spec["dims"] = json::Array();
    }
    return spec;
  };
  json::Array list;
  for (auto function : program.getOps<func::FuncOp>()) {
    if (!function->hasAttr(QuenchDialect::getEntryAttrName()))
      continue;
    json::Array args, results;
    for (Type type : function.getArgumentTypes())
      args.push_back(describe(type));
    for (Type type : function.getResultTypes())
      results.push_back(describe(type));
    entries.push_back(function.getName().str());
    list.push_back(json::Object{
        {"name", entries.back()}, {"args", std::move(args)}, {"results", std::move(results)}});
  }
  if (entries.empty())
    return program.emitError("has no entry point: mark a function with the attribute ")
           << QuenchDialect::getEntryAttrName();
  json["entries"] = std::move(list);
  json::Array cacheList;
  for (Type type : caches) {
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
  program.walk([&](DraftOp op) {
    drafts.push_back(
        json::Object{{"source", cast<DraftSourceAttrInterface>(op.getSource()).getName()},
                     {"max", int64_t(op.getMax())}});
  });
  json["drafts"] = std::move(drafts);
  return success();
}

void Descriptor::addKernels(ModuleOp module) {
  llvm::StringMap<int64_t> uses;
  module.walk([&](func::CallOp call) { ++uses[call.getCallee()]; });
  json::Array list;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr("quench.kernel")) {
      kernels.push_back(function.getName().str());
      list.push_back(json::Object{{"name", kernels.back()}, {"uses", uses[kernels.back()]}});
    }
  json["kernels"] = std::move(list);
}

LogicalResult Descriptor::addLowered(ModuleOp lowered) {
  json["workspace_bytes"] = lowered->getAttrOfType<IntegerAttr>("quench.workspace_bytes").getInt();
  json["thread_workspace_bytes"] =
      lowered->getAttrOfType<IntegerAttr>("quench.thread_workspace_bytes").getInt();
  json::Array list;
  for (Attribute entry : lowered->getAttrOfType<ArrayAttr>("quench.weight_table")) {
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
