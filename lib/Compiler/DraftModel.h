//===- DraftModel.h - a program is joined with its draft -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_COMPILER_DRAFTMODEL_H
#define QUENCH_LIB_COMPILER_DRAFTMODEL_H

#include "CompileRequest.h"
#include "InputModel.h"

#include "absl/status/status.h"

namespace mlir::quench {

/// Joins the program of the package `request.draft` with the model's, and adds @round, which drafts
/// with it. An error if the vocabularies differ.
absl::Status addDraft(MLIRContext &context, const CompileRequest &request, InputModel &model);

} // namespace mlir::quench

#endif // QUENCH_LIB_COMPILER_DRAFTMODEL_H
