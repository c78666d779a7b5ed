//===- LayerNames.cpp - names of layers and weights in locations -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Program/LayerNames.h"

#include "quench/Dialect/Quench/IR/QuenchOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <memory>
#include <optional>

using namespace mlir;
using namespace mlir::quench;

using Keys = llvm::SetVector<StringRef>;

/// Of one value, and calls from the declaration to a use; a program with more is made up.
static constexpr size_t kMostKeys = 1000;
static constexpr int kMostCalls = 100;

std::string quench::numberRanges(ArrayRef<int64_t> numbers) {
  std::string text;
  for (size_t first = 0; first < numbers.size();) {
    size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    text += (first == 0 ? "" : "_") + std::to_string(numbers[first]);
    if (last != first)
      text += "-" + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

/// "blk.0-29.attn_q.weight" for keys that differ in one number.
static std::optional<std::string> joinNumbered(ArrayRef<StringRef> keys) {
  SmallVector<StringRef> common;
  keys.front().split(common, '.');
  std::optional<size_t> place;
  SmallVector<int64_t> numbers;
  for (StringRef key : keys) {
    SmallVector<StringRef> parts;
    key.split(parts, '.');
    if (parts.size() != common.size())
      return std::nullopt;
    for (size_t i = 0; i < parts.size(); ++i)
      if (parts[i] != common[i] && place.value_or(i) != i)
        return std::nullopt;
      else if (parts[i] != common[i])
        place = i;
  }
  if (!place)
    return std::nullopt;
  for (StringRef key : keys) {
    SmallVector<StringRef> parts;
    key.split(parts, '.');
    int64_t number;
    if (parts[*place].getAsInteger(10, number))
      return std::nullopt;
    numbers.push_back(number);
  }
  llvm::sort(numbers);
  std::string ranges = numberRanges(numbers);
  common[*place] = ranges;
  return llvm::join(common, ".");
}

static std::string nameOf(ArrayRef<StringRef> keys) {
  if (keys.size() <= 1)
    return keys.empty() ? "" : keys.front().str();
  if (std::optional<std::string> name = joinNumbered(keys))
    return *name;
  return (keys.front() + " and " + Twine(keys.size() - 1) + " more").str();
}

namespace {
class LayerNames {
public:
  explicit LayerNames(ModuleOp program) : symbols(program) {
    program.walk([&](func::CallOp call) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        callers[callee].push_back(call);
    });
  }

  /// Empty if there is none.
  std::string nameFor(Operation *op) {
    SmallVector<Value> weights = weightsAmong(op->getOperands());
    if (!weights.empty() && !isa<func::CallOp>(op))
      return llvm::join(llvm::map_range(weights, [&](Value weight) { return nameOf(weight); }),
                        ", ");
    if (!weights.empty())
      return layerOf(weights);
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      function = op->getParentOfType<func::FuncOp>();
    if (!function || function.isExternal())
      return "";
    auto [known, added] = layers.try_emplace(function);
    if (added)
      known->second = layerOf(weightsAmong(function.getArguments()));
    return layers[function];
  }

private:
  static SmallVector<Value> weightsAmong(ValueRange values) {
    return llvm::filter_to_vector(values,
                                  [](Value value) { return isa<QTensorType>(value.getType()); });
  }

  std::string nameOf(Value weight) { return ::nameOf(keysOf(weight).getArrayRef()); }

  /// What the names of a layer's weights begin with, up to a dot.
  std::string layerOf(ArrayRef<Value> weights) {
    std::optional<SmallVector<std::string>> common;
    for (Value weight : weights) {
      SmallVector<std::string> parts;
      std::string name = nameOf(weight);
      for (StringRef part : llvm::split(name, '.'))
        parts.push_back(part.str());
      size_t same = 0;
      while (common && same < common->size() && same < parts.size() &&
             (*common)[same] == parts[same])
        ++same;
      if (common)
        parts.resize(same);
      else if (!parts.empty())
        parts.pop_back(); // what it is within the layer
      common = std::move(parts);
    }
    return common ? llvm::join(*common, ".") : "";
  }

  /// In the order of the program.
  const Keys &keysOf(Value weight, int calls = 0) {
    auto [place, added] = keys.try_emplace(weight);
    if (!added)
      return *place->second;
    place->second = std::make_unique<Keys>(); // so a recursive call ends
    Keys &found = *place->second;
    if (calls > kMostCalls)
      return found;
    if (auto get = weight.getDefiningOp<GetWeightOp>()) {
      if (auto declared = symbols.lookup<WeightOp>(get.getWeight()))
        found.insert(declared.getKey());
    } else if (auto slice = weight.getDefiningOp<SliceOp>()) {
      addKeys(slice.getSource(), found, calls + 1);
    } else if (auto argument = dyn_cast<BlockArgument>(weight)) {
      for (func::CallOp call : callers.lookup(argument.getOwner()->getParentOp()))
        if (argument.getArgNumber() < call.getNumOperands())
          addKeys(call.getOperand(argument.getArgNumber()), found, calls + 1);
    }
    return found;
  }

  void addKeys(Value weight, Keys &found, int calls) {
    for (StringRef key : keysOf(weight, calls))
      if (found.size() < kMostKeys)
        found.insert(key);
  }

  SymbolTable symbols;
  DenseMap<Operation *, SmallVector<func::CallOp>> callers;
  DenseMap<Value, std::unique_ptr<Keys>> keys;
  DenseMap<Operation *, std::string> layers;
};
} // namespace

static bool hasName(Location location) {
  return location
      ->walk([](Location part) {
        return isa<NameLoc>(part) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void quench::nameLocations(ModuleOp program) {
  LayerNames names(program);
  Builder builder(program.getContext());
  program.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp>(op) && op != program)
      return WalkResult::skip(); // it has symbols of its own
    std::string name = hasName(op->getLoc()) ? "" : names.nameFor(op);
    if (!name.empty())
      op->setLoc(NameLoc::get(builder.getStringAttr(name), op->getLoc()));
    return WalkResult::advance();
  });
}
