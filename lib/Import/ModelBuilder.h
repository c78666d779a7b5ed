//===- ModelBuilder.h - a description and numbers become IR ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Everything here was checked before; the builder cannot fail.
//
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_IMPORT_MODELBUILDER_H
#define QUENCH_LIB_IMPORT_MODELBUILDER_H

#include "ModelWeights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quench/Import/GGUFImport.h"

namespace mlir::quench {

/// What all functions of a module share.
struct ModelContext {
  const ArchitectureDescription &architecture;
  const HyperParameters &parameters;
  Activations activations;
  PagedCacheType cacheType;

  MLIRContext *context() const { return cacheType.getContext(); }
  /// tensor<?xFEATURESxf32>
  RankedTensorType rowsType(int64_t features) const;
  /// tensor<?xi32>
  RankedTensorType idsType() const;
};

Location namedLocation(OpBuilder &builder, const Twine &name);

/// `quench.linear` with one weight. Plain floats are multiplied with f32 whatever the
/// model's activations are.
Value buildLinear(OpBuilder &builder, Location location, const ModelContext &model, Value input,
                  Value weight);

/// Of the architecture's kind; `bias` may be null.
Value buildNorm(OpBuilder &builder, Location location, const ModelContext &model, Value input,
                Value weight, Value bias);

/// `linalg.generic` over the elements of rows: the first of `inputs`, others of its type, and
/// vectors with an element for each column. `body` makes an element of the result from
/// theirs.
Value buildElementwise(OpBuilder &builder, Location location, ValueRange inputs,
                       function_ref<Value(OpBuilder &, ValueRange elements)> body);

/// A private function of one layer: (rows, positions, cache, index of the layer, weights in
/// the order of the architecture's layer tensors) -> rows. `label` names the layers
/// that call it in locations: "blk.0-29".
func::FuncOp buildLayer(OpBuilder &builder, StringRef name, StringRef label,
                        const ModelContext &model, const AttentionKind &attention,
                        ArrayRef<Type> weightTypes);

OwningOpRef<ModuleOp> buildModel(MLIRContext &context, StringRef name,
                                 const ArchitectureDescription &architecture,
                                 const HyperParameters &parameters, const ModelWeights &weights,
                                 const ImportOptions &options);

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_MODELBUILDER_H
