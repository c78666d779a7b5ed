//===- DraftModel.cpp - a program is joined with its draft -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "DraftModel.h"

#include "Diagnostics.h"

#include "quench-rt/Limits.h"
#include "quench-rt/Program/Package.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Tokenizer/Vocabulary.h"
#include "quench/Dialect/Quench/IR/QuenchDialect.h"
#include "quench/Program/ProgramFile.h"
#include "quench/Target/CPU/CPUTarget.h"

using namespace mlir;
using namespace mlir::quench;

/// `name` is the draft as the user knows it.
static absl::Status checkVocabulary(const qrt::Package &draft, const std::string &name,
                                    const InputModel &model) {
  if (model.tokenizer.empty() || !draft.hasTokenizer())
    return absl::OkStatus(); // ids are all there is
  QRT_ASSIGN_OR_RETURN(std::string text, draft.tokenizer());
  QRT_ASSIGN_OR_RETURN(qrt::Vocabulary own, qrt::vocabularyFromJson(model.tokenizer, "tokenizer"));
  QRT_ASSIGN_OR_RETURN(qrt::Vocabulary other, qrt::vocabularyFromJson(text, draft.path()));
  absl::Status status = qrt::checkSameTokens(own, other);
  if (status.ok())
    return status;
  return absl::InvalidArgumentError(name + ": " + std::string(status.message()));
}

/// The joined program can go no further than either model.
static void limitContext(ModuleOp program, int64_t context) {
  StringRef name = QuenchDialect::getContextAttrName();
  auto own = program->getAttrOfType<IntegerAttr>(name);
  if (context > 0 && own && context < own.getInt())
    program->setAttr(name, IntegerAttr::get(own.getType(), context));
}

absl::Status quench::addDraft(MLIRContext &context, const CompileRequest &request,
                              InputModel &model) {
  QRT_ASSIGN_OR_RETURN(qrt::Package package, qrt::Package::open(request.draft));
  QRT_RETURN_IF_ERROR(checkVocabulary(
      package, request.draftName.empty() ? request.draft : request.draftName, model));
  std::string file = request.draft + "/" + qrt::kProgramFile;
  DiagnosticCollector diagnostics(context, file);
  OwningOpRef<ModuleOp> draft = readProgram(context, file);
  if (!draft || failed(checkOps(*draft)))
    return diagnostics.status("not a valid MLIR module");
  limitContext(*model.program, package.manifest().contextLength);
  if (failed(joinDraft(*model.program, std::move(draft))) ||
      failed(addSpeculation(*model.program, "model", qrt::kMaxDraft, request.crashReproducer)))
    return diagnostics.status("cannot draft for " + request.input);
  model.draftWeights = request.draftWeights.empty() ? package.weightsPath() : request.draftWeights;
  return absl::OkStatus();
}
