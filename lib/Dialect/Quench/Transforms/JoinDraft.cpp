//===- JoinDraft.cpp - a draft model becomes part of a program ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/AttrTypeSubElements.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/Transforms/Passes.h"

namespace mlir::quench {
#define GEN_PASS_DEF_QUENCHJOINDRAFT
#include "quench/Dialect/Quench/Transforms/Passes.h.inc"

namespace {
struct JoinDraft : impl::QuenchJoinDraftBase<JoinDraft> {
  void runOnOperation() override {
    ModuleOp program = getOperation();
    auto draft = program.lookupSymbol<ModuleOp>(kName);
    if (!draft) {
      program.emitError("expected a nested module @") << kName << ", found none";
      return signalPassFailure();
    }
    if (failed(checkNames(program, draft)))
      return signalPassFailure();
    for (ModuleOp module : {program, draft})
      if (auto round = module.lookupSymbol<func::FuncOp>("round"))
        round.erase();
    prefixSymbols(draft);
    for (auto weight : draft.getOps<WeightOp>())
      weight.setKey((prefix() + weight.getKey()).str());
    for (auto function : draft.getOps<func::FuncOp>())
      nameCaches(function);
    limitRows(program, draft);
    Block &body = *program.getBody();
    body.getOperations().splice(body.end(), draft.getBody()->getOperations());
    draft.erase();
  }

  static constexpr StringLiteral kName = "draft";
  static std::string prefix() { return (kName + ".").str(); }

  /// One walk over all symbols; renaming them one by one would be quadratic.
  static void prefixSymbols(ModuleOp draft) {
    AttrTypeReplacer replacer;
    replacer.addReplacement([](FlatSymbolRefAttr symbol) -> std::optional<Attribute> {
      return FlatSymbolRefAttr::get(symbol.getContext(), prefix() + symbol.getValue().str());
    });
    replacer.recursivelyReplaceElementsIn(draft.getBodyRegion().getParentOp());
    for (Operation &op : *draft.getBody())
      if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        symbol.setName(prefix() + symbol.getName().str());
  }

  /// Caches of the same type would be the same one.
  static void nameCaches(func::FuncOp function) {
    StringRef attribute = QuenchDialect::getCacheAttrName();
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<CacheTypeInterface>(type) && !function.getArgAttr(i, attribute))
        function.setArgAttr(i, attribute, StringAttr::get(function.getContext(), kName));
  }

  /// A step of the joined program has no more rows than both can take.
  static void limitRows(ModuleOp program, ModuleOp draft) {
    StringRef attribute = QuenchDialect::getMaxRowsAttrName();
    auto own = program->getAttrOfType<IntegerAttr>(attribute),
         other = draft->getAttrOfType<IntegerAttr>(attribute);
    if (other && (!own || other.getInt() < own.getInt()))
      program->setAttr(attribute, other);
  }

  /// Only a program that was joined before has names with the prefix.
  static LogicalResult checkNames(ModuleOp program, ModuleOp draft) {
    for (ModuleOp module : {program, draft})
      for (auto symbol : module.getOps<SymbolOpInterface>())
        if (symbol.getName().starts_with(prefix()))
          return symbol.emitError("'")
                 << symbol.getName() << "': " << (module == draft ? "the draft" : "the program")
                 << " has a draft already";
    return success();
  }
};
} // namespace
} // namespace mlir::quench
