//===- QuenchAttrs.td - formats, layouts, draft sources, acceptance rules ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHATTRS_TD
#define QUENCH_DIALECT_QUENCH_IR_QUENCHATTRS_TD

include "quench/Dialect/Quench/IR/QuenchDialect.td"
include "quench/Dialect/Quench/IR/QuenchInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"

class Quench_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Quench_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

class Quench_Format<string cppName, string formatName, int elements, int bytes, string floatType>
    : Quench_Attr<cppName, formatName, [Quench_FormatInterface]> {
  let summary = "storage format " # formatName;
  let description = "Blocks of " # elements # " elements in " # bytes # " bytes, `" # !toupper(formatName) # "` in the runtime's format table.";
  let extraClassDeclaration =
    "static constexpr ::llvm::StringLiteral kName = \"" # formatName # "\";\n"
    "::llvm::StringRef getName() const { return kName; }\n"
    "int64_t getBlockElements() const { return " # elements # "; }\n"
    "int64_t getBlockBytes() const { return " # bytes # "; }\n"
    "::mlir::FloatType getFloatType() const { return " # floatType # "; }\n";
}
class Quench_FloatFormat<string cppName, string formatName, int bytes, string cppType>
    : Quench_Format<cppName, formatName, 1, bytes, "::mlir::" # cppType # "::get(getContext())">;
class Quench_BlockFormat<string cppName, string formatName, int elements, int bytes>
    : Quench_Format<cppName, formatName, elements, bytes, "{}">;

def Quench_F32Attr : Quench_FloatFormat<"F32", "f32", 4, "Float32Type">;
def Quench_F16Attr : Quench_FloatFormat<"F16", "f16", 2, "Float16Type">;
def Quench_BF16Attr : Quench_FloatFormat<"BF16", "bf16", 2, "BFloat16Type">;
// GGUF blocks.
def Quench_Q4_0Attr : Quench_BlockFormat<"Q4_0", "q4_0", 32, 18>;
def Quench_Q4_1Attr : Quench_BlockFormat<"Q4_1", "q4_1", 32, 20>;
def Quench_Q5_0Attr : Quench_BlockFormat<"Q5_0", "q5_0", 32, 22>;
def Quench_Q5_1Attr : Quench_BlockFormat<"Q5_1", "q5_1", 32, 24>;
def Quench_Q8_0Attr : Quench_BlockFormat<"Q8_0", "q8_0", 32, 34>;
def Quench_Q2_KAttr : Quench_BlockFormat<"Q2_K", "q2_k", 256, 84>;
def Quench_Q3_KAttr : Quench_BlockFormat<"Q3_K", "q3_k", 256, 110>;
def Quench_Q4_KAttr : Quench_BlockFormat<"Q4_K", "q4_k", 256, 144>;
def Quench_Q5_KAttr : Quench_BlockFormat<"Q5_K", "q5_k", 256, 176>;
def Quench_Q6_KAttr : Quench_BlockFormat<"Q6_K", "q6_k", 256, 210>;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def Quench_PlainAttr : Quench_Attr<"Plain", "plain", [DeclareAttrInterfaceMethods<Quench_LayoutInterface>]> {
  let summary = "canonical block bytes, row after row";
  let description = [{
    A float format becomes a tensor of its elements; a block format of `N x K`
    becomes `N x K/block x bytes x i8`.
  }];
}

def Quench_RowsAttr : Quench_Attr<"Rows", "rows", [DeclareAttrInterfaceMethods<Quench_LayoutInterface>]> {
  let summary = "rows interleaved for a register tile";
  let description = [{
    `count` rows (output features) lie together so that one vector lane serves
    one row. A float format of `N x K` becomes `ceil(N/count) x K x count`
    elements; a 32-element block format becomes `ceil(N/count) x K/32 x B x i8`,
    where B counts the scales, then the minima, then the codes of the rows, as the
    runtime's packing header draws them. Missing rows are zero.
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Speculation
//===----------------------------------------------------------------------===//

def Quench_LookupAttr : Quench_Attr<"Lookup", "lookup", [Quench_DraftSourceInterface]> {
  let summary = "draft by prompt lookup";
  let description = [{
    The candidates are what followed an earlier occurrence of the sequence's last
    tokens (n-grams over prompt and output). The runtime keeps the index.
  }];
  let extraClassDeclaration = [{
    ::llvm::StringRef getName() const { return "lookup"; }
    bool needsRegion() const { return false; }
  }];
}

def Quench_ModelAttr : Quench_Attr<"Model", "model", [Quench_DraftSourceInterface]> {
  let summary = "draft by a model";
  let description = [{
    The region of `quench.draft` computes logits for the token after its rows;
    the candidate is the best one, and is fed back until the limit is reached.
  }];
  let extraClassDeclaration = [{
    ::llvm::StringRef getName() const { return "model"; }
    bool needsRegion() const { return true; }
  }];
}

def Quench_GreedyAttr : Quench_Attr<"Greedy", "greedy", [Quench_AcceptRuleInterface]> {
  let summary = "accept what the target would have chosen greedily";
  let description = [{
    A candidate is accepted if it is the target's best token at its place and all
    candidates before it were accepted. Ties go to the lowest id.
  }];
  let extraClassDeclaration = [{
    ::llvm::StringRef getName() const { return "greedy"; }
    bool needsOnlyArgmax() const { return true; }
  }];
}

//===----------------------------------------------------------------------===//
// Enums and the mapping attribute
//===----------------------------------------------------------------------===//

def Quench_Activations : I32EnumAttr<"Activations", "numbers a linear multiplies its weights with", [
    I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"I8", 1, "i8">]> {
  let cppNamespace = "::mlir::quench";
  let genSpecializedAttr = 0;
}
def Quench_ActivationsAttr : EnumAttr<Quench_Dialect, Quench_Activations, "activations">;

def Quench_RopeStyle : I32EnumAttr<"RopeStyle", "which elements of a head are rotated together", [
    I32EnumAttrCase<"Adjacent", 0, "adjacent">, I32EnumAttrCase<"Halves", 1, "halves">]> {
  let cppNamespace = "::mlir::quench";
  let genSpecializedAttr = 0;
}
def Quench_RopeStyleAttr : EnumAttr<Quench_Dialect, Quench_RopeStyle, "rope_style">;

def Quench_NormKind : I32EnumAttr<"NormKind", "statistics of a normalisation", [
    I32EnumAttrCase<"RMS", 0, "rms">, I32EnumAttrCase<"Layer", 1, "layer">]> {
  let cppNamespace = "::mlir::quench";
  let genSpecializedAttr = 0;
}
def Quench_NormKindAttr : EnumAttr<Quench_Dialect, Quench_NormKind, "norm_kind">;

def Quench_ThreadAttr : Quench_Attr<"Thread", "thread",
    [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let summary = "maps an scf.forall onto the threads of a CPU team";
  let description = [{
    Stands once for each dimension of the loop. The tiles of all dimensions, in
    row-major order, are cut into one contiguous share for each thread.
  }];
}

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHATTRS_TD
