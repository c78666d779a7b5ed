//===- QuenchInterfaces.td - interfaces of attributes, types and ops ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHINTERFACES_TD
#define QUENCH_DIALECT_QUENCH_IR_QUENCHINTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Quench_FormatInterface : AttrInterface<"FormatAttrInterface"> {
  let cppNamespace = "::mlir::quench";
  let description = [{
    How the elements of a `!quench.qtensor` are stored: rows of blocks along the
    last dimension. The name is that of the runtime's format table in lower
    case; the table holds the exact decoding. Its blocks and those of the
    attributes here are the same, which test/Numerics/FormatsTest.cpp compares.
  }];
  let methods = [
    InterfaceMethod<"Name in the runtime's format table in lower case, e.g. `q4_1`.", "::llvm::StringRef", "getName">,
    InterfaceMethod<"Elements of one block along the last dimension; 1 for plain floats.", "int64_t", "getBlockElements">,
    InterfaceMethod<"Bytes of one block.", "int64_t", "getBlockBytes">,
    InterfaceMethod<"The element type of a plain float format, null for block formats.", "::mlir::FloatType", "getFloatType">,
  ];
}

def Quench_LayoutInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::mlir::quench";
  let description = [{
    The order in which a weight's blocks lie in memory when a kernel reads them.
    A pass assigns layouts; importers never do.
  }];
  let methods = [
    InterfaceMethod<"Name in the runtime's table of layouts, e.g. `rows8`.", "::std::string", "getName">,
    InterfaceMethod<"The ranked tensor that holds a weight of this format and shape, or null if the layout has none.",
      "::mlir::RankedTensorType", "getPackedType", (ins "::mlir::quench::FormatAttrInterface":$format, "::llvm::ArrayRef<int64_t>":$shape)>,
  ];
}

def Quench_DraftSourceInterface : AttrInterface<"DraftSourceAttrInterface"> {
  let cppNamespace = "::mlir::quench";
  let description = [{ Where the candidates of `quench.draft` come from. }];
  let methods = [
    InterfaceMethod<"Name in the descriptor of a compiled library.", "::llvm::StringRef", "getName">,
    InterfaceMethod<"Whether `quench.draft` carries the draft model as a region.", "bool", "needsRegion">,
  ];
}

def Quench_AcceptRuleInterface : AttrInterface<"AcceptRuleAttrInterface"> {
  let cppNamespace = "::mlir::quench";
  let description = [{ How `quench.verify` decides which candidates stay. }];
  let methods = [
    InterfaceMethod<"Name of the rule.", "::llvm::StringRef", "getName">,
    InterfaceMethod<"Whether the rule needs only each row's best id and logit.", "bool", "needsOnlyArgmax">,
  ];
}

def Quench_CacheInterface : TypeInterface<"CacheTypeInterface"> {
  let cppNamespace = "::mlir::quench";
  let description = [{
    State of a sequence that grows by one position per token: append, commit,
    roll back. Ops that touch it declare effects on the resource
    `QuenchCache`.
  }];
  let methods = [
    InterfaceMethod<"Name of the kind in a library's descriptor.", "::llvm::StringRef", "getKind">,
    InterfaceMethod<"Layers with a state of their own.", "int64_t", "getLayers">,
    InterfaceMethod<"Key/value heads of a layer.", "int64_t", "getHeads">,
    InterfaceMethod<"Elements of one head.", "int64_t", "getDim">,
    InterfaceMethod<"Type in which keys and values are stored.", "::mlir::FloatType", "getElement">,
    InterfaceMethod<"Positions of one page.", "int64_t", "getSlots">,
  ];
}

// One dimension of an operand in terms of the op's domain.
def Quench_BlockOpInterface : OpInterface<"BlockOpInterface"> {
  let cppNamespace = "::mlir::quench";
  let description = [{
    A destination-style op whose domain is parallel in every dimension. Each
    dimension of an operand is either whole, or `scale` elements for every point
    of one domain dimension. Tiling and bufferization follow from that.
  }];
  let methods = [
    InterfaceMethod<"Number of dimensions of the domain.", "unsigned", "getNumDomainDims">,
    InterfaceMethod<"For each operand, one entry per dimension; empty for scalars and handles.",
      "::llvm::SmallVector<::llvm::SmallVector<::mlir::quench::BlockDim>>", "getBlockMaps">,
    InterfaceMethod<"Corrects scalars of a tile (an index origin, say) for its place in the domain.",
      "void", "placeTile",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Operation *":$tile, "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets),
      /*methodBody=*/"", /*defaultImplementation=*/"(void)builder; (void)tile; (void)offsets;">,
  ];
}

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHINTERFACES_TD
