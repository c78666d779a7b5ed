//===- QuenchTypes.td - weights and caches ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHTYPES_TD
#define QUENCH_DIALECT_QUENCH_IR_QUENCHTYPES_TD

include "quench/Dialect/Quench/IR/QuenchAttrs.td"

class Quench_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Quench_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Quench_QTensorType : Quench_Type<"QTensor", "qtensor"> {
  let summary = "an immutable weight in a storage format";
  let description = [{
    A static shape of rank 1 or 2 (rows are output features: `N x K`) and a format.
    The last dimension must be a multiple of the format's block. It is
    opaque on purpose: upstream passes would drop an encoding on a ranked tensor,
    and bufferization must not see a weight before its layout is chosen.

    ```mlir
    !quench.qtensor<960x576, #quench.q4_1>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::quench::FormatAttrInterface":$format);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Quench_PagedCacheType : Quench_Type<"PagedCache", "paged_cache", [Quench_CacheInterface]> {
  let summary = "keys and values of one sequence in pages";
  let description = [{
    Position p lies in page p / slots at slot p % slots. A page holds, for each
    layer and head, the keys as `[dim][slots]` and the values as `[slots][dim]`.
    Rounding to `element` happens on append.

    ```mlir
    !quench.paged_cache<layers = 30, heads = 3, dim = 64, element = f16, slots = 32>
    ```
  }];
  let parameters = (ins "int64_t":$layers, "int64_t":$heads, "int64_t":$dim, "::mlir::FloatType":$element, "int64_t":$slots);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::llvm::StringRef getKind() const { return "paged"; }
  }];
}

def Quench_AnyQTensor : Type<CPred<"::llvm::isa<::mlir::quench::QTensorType>($_self)">, "quantized tensor", "::mlir::quench::QTensorType">;
def Quench_AnyCache : Type<CPred<"::llvm::isa<::mlir::quench::CacheTypeInterface>($_self)">, "cache">;

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHTYPES_TD
