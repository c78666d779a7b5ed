//===- InputModel.cpp - what is to be compiled, whatever it came as --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "InputModel.h"

#include "Diagnostics.h"
#include "DraftModel.h"
#include "PackageOutput.h"

#include "quench-rt/Limits.h"
#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Tokenizer/Tokenizer.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Import/GGUFImport.h"
#include "quench/Program/ProgramFile.h"
#include "quench/Target/CPU/CPUTarget.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "absl/strings/str_cat.h"

#include <utility>

using namespace mlir;
using namespace mlir::quench;

static absl::StatusOr<InputModel> importModel(MLIRContext &context, const CompileRequest &request) {
  QRT_ASSIGN_OR_RETURN(qrt::GgufFile file, qrt::GgufFile::open(request.input));
  ImportOptions options;
  options.activations = request.activations == "f32" ? Activations::F32 : Activations::I8;
  options.context = request.context;
  options.layers = request.layers;
  InputModel model;
  QRT_ASSIGN_OR_RETURN(model.program, importGGUF(context, file, options));
  model.weights = request.input;
  // A file without any tokenizer can still be scored by token ids.
  if (file.find("tokenizer.ggml.model")) {
    QRT_ASSIGN_OR_RETURN(qrt::Vocabulary vocabulary, qrt::vocabularyFromGguf(file));
    model.tokenizer = qrt::vocabularyToJson(vocabulary);
    // One of a kind that is not known is kept as it is: ids can still be scored.
    absl::Status status = qrt::Tokenizer::create(std::move(vocabulary)).status();
    if (!status.ok() && !absl::IsUnimplemented(status))
      return absl::Status(status.code(), absl::StrCat(request.input, ": ", status.message()));
  }
  return model;
}

/// A program is source code: it computes, in the user's process. Ops that call other code,
/// deal in addresses, change what a type means or belong to later stages have no place in
/// it. Indices are not checked when it runs.
LogicalResult quench::checkOps(ModuleOp program) {
  WalkResult result = program.walk([&](Operation *op) {
    if (op == program)
      return WalkResult::advance();
    if (isa<func::FuncOp>(op))
      for (NamedAttribute attr : op->getDiscardableAttrs())
        if (!attr.getName().getValue().starts_with("quench.")) {
          op->emitOpError("has attribute ") << attr.getName() << ", which is not part of a program";
          return WalkResult::interrupt();
        }
    bool known = isa_and_nonnull<func::FuncDialect, arith::ArithDialect, math::MathDialect,
                                 tensor::TensorDialect, linalg::LinalgDialect, scf::SCFDialect,
                                 affine::AffineDialect, QuenchDialect>(op->getDialect());
    bool later = isa<BlockOpInterface, ThreadIdOp, NumThreadsOp, BarrierOp, WorkspaceOp,
                     PackedWeightOp, CachePageOp, HostDraftOp, ResultOp>(op) ||
                 op->hasAttr(QuenchDialect::getKernelAttrName());
    if (known && !later)
      return WalkResult::advance();
    op->emitOpError(later ? "belongs to a later stage of the compiler" : "is not part of a program")
        << "; expected model ops of quench and ops of func, arith, math, tensor, linalg, scf and "
           "affine";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static bool hasWeights(ModuleOp program) { return !program.getOps<WeightOp>().empty(); }

static absl::StatusOr<InputModel> readModel(MLIRContext &context, const CompileRequest &request) {
  InputModel model;
  DiagnosticCollector diagnostics(context, request.input);
  model.program = readProgram(context, request.input);
  if (!model.program || failed(checkOps(*model.program)))
    return diagnostics.status("not a valid MLIR module");
  model.weights = request.weights;
  if (!request.from.empty()) {
    QRT_RETURN_IF_ERROR(takeFromPackage(request.from, model));
  }
  if (request.package.empty())
    return model; // code alone needs no weights
  if (model.weights.empty() && hasWeights(*model.program))
    return absl::InvalidArgumentError(
        request.input + ": the program declares weights (the first is @" +
        (*model.program->getOps<WeightOp>().begin()).getSymName().str() +
        "), expected --from PACKAGE or --weights FILE");
  QRT_RETURN_IF_ERROR(checkWeights(model));
  return model;
}

/// Exports all public functions with a body, as `quench-run call` wants it.
static void markPublicFunctions(ModuleOp program) {
  for (auto function : program.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      function->setAttr(QuenchDialect::getEntryAttrName(), UnitAttr::get(program.getContext()));
}

static absl::Status prepare(MLIRContext &context, const CompileRequest &request, ModuleOp program) {
  DiagnosticCollector diagnostics(context, request.input);
  if (request.entries == "public")
    markPublicFunctions(program);
  // What is no language model has nothing to draft for.
  if (program.lookupSymbol("logits") && program.lookupSymbol("greedy") &&
      failed(addSpeculation(program, "lookup", qrt::kMaxDraft, request.crashReproducer)))
    return diagnostics.status("cannot be given a draft-and-verify entry point");
  for (auto function : program.getOps<func::FuncOp>())
    if (function->hasAttr(QuenchDialect::getEntryAttrName()))
      return absl::OkStatus();
  return absl::InvalidArgumentError(
      request.input + ": no function is exported, expected one " +
      (request.entries == "public" ? "that is public" : "with the attribute quench.entry"));
}

absl::StatusOr<InputModel> quench::loadInput(MLIRContext &context, const CompileRequest &request) {
  bool isProgram =
      StringRef(request.input).ends_with(".mlir") || StringRef(request.input).ends_with(".mlirbc");
  QRT_ASSIGN_OR_RETURN(InputModel model,
                       isProgram ? readModel(context, request) : importModel(context, request));
  if (!request.draft.empty())
    QRT_RETURN_IF_ERROR(addDraft(context, request, model));
  QRT_RETURN_IF_ERROR(prepare(context, request, *model.program));
  return model;
}
