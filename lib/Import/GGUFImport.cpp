//===- GGUFImport.cpp - a GGUF file as a module of the dialect -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench/Import/GGUFImport.h"

#include "FileErrors.h"
#include "LayerSelection.h"
#include "ModelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "quench-rt/Support/Status.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::quench;

static absl::StatusOr<const ArchitectureDescription *> readArchitecture(const qrt::GgufFile &file) {
  std::string_view key = "general.architecture";
  QRT_ASSIGN_OR_RETURN(std::string_view name, file.getString(key));
  if (const ArchitectureDescription *found = findArchitecture(toLLVM(name)))
    return found;
  return absl::UnimplementedError(
      absl::StrCat(aboutKey(file, key), ": ", qrt::quoted(name),
                   " is not supported; supported: ", supportedArchitectures()));
}

static absl::Status checkContext(const qrt::GgufFile &file, int64_t wanted, int64_t context) {
  if (wanted >= 0 && wanted <= context)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(file.path(), ": context ", wanted, ", expected 1 to the model's ", context));
}

/// Whatever the verifier finds is a mistake of the builder; it is told rather than
/// handed on.
static absl::Status verifyModule(ModuleOp module, const qrt::GgufFile &file) {
  std::string found;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (found.empty())
      found = diagnostic.str();
    return success();
  });
  if (succeeded(verify(module)))
    return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(file.path(), ": the imported program is invalid: ", found));
}

absl::StatusOr<OwningOpRef<ModuleOp>> mlir::quench::importGGUF(MLIRContext &context,
                                                               const qrt::GgufFile &file,
                                                               const ImportOptions &options) {
  context.loadDialect<QuenchDialect, func::FuncDialect, arith::ArithDialect, linalg::LinalgDialect,
                      math::MathDialect, tensor::TensorDialect>();
  QRT_ASSIGN_OR_RETURN(const ArchitectureDescription *architecture, readArchitecture(file));
  QRT_ASSIGN_OR_RETURN(HyperParameters parameters, readHyperParameters(file, *architecture));
  QRT_RETURN_IF_ERROR(checkContext(file, options.context, parameters.context));
  QRT_ASSIGN_OR_RETURN(std::string_view name,
                       file.getStringOr("general.name", toStd(llvm::sys::path::stem(file.path()))));
  QRT_ASSIGN_OR_RETURN(ModelWeights weights, readWeights(context, file, *architecture, parameters));
  std::string fullName(name);
  if (!options.layers.empty()) {
    QRT_RETURN_IF_ERROR(selectLayers(options.layers, parameters, weights));
    fullName += " (layers " + options.layers + ")";
  }
  // Only now, since tensors have the sizes that the file says.
  if (options.context != 0)
    parameters.context = options.context;
  OwningOpRef<ModuleOp> module =
      buildModel(context, fullName, *architecture, parameters, weights, options);
  QRT_RETURN_IF_ERROR(verifyModule(*module, file));
  return module;
}
