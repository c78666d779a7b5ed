//===- Diagnostics.cpp - the compiler's diagnostics as one line ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "quench-rt/Support/Text.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace mlir::quench;

/// "FILE: NAMES", with names of layers or tensors if the location has any; "FILE:LINE:COLUMN"
/// instead of the file if it has these.
static std::string placeOf(Location location, StringRef file) {
  FileLineColLoc line;
  llvm::SmallSetVector<StringAttr, 4> names;
  location->walk([&](Location part) {
    if (auto found = dyn_cast<FileLineColLoc>(part); found && !line)
      line = found;
    if (auto found = dyn_cast<NameLoc>(part))
      names.insert(found.getName());
    return WalkResult::advance();
  });
  std::string place = file.str();
  if (line)
    place =
        (line.getFilename().strref() + ":" + Twine(line.getLine()) + ":" + Twine(line.getColumn()))
            .str();
  for (auto [index, name] : llvm::enumerate(names))
    place += (index == 0 ? ": " : ", ") + qrt::quoted(name.strref());
  return place;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context, std::string file)
    : file(std::move(file)), handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return;
        std::string text = diagnostic.str();
        // Said after the pass has spoken, or instead of one that crashed.
        if (StringRef(text).starts_with("Failures have been detected while processing")) {
          for (Diagnostic &note : diagnostic.getNotes())
            failedPass = note.str();
          return;
        }
        if (++errors == 1) {
          std::string place = placeOf(diagnostic.getLocation(), this->file);
          // What concerns a whole file names it already.
          first = StringRef(text).starts_with(place + ":") ? text : place + ": " + text;
        }
      }) {}

absl::Status DiagnosticCollector::status(StringRef otherwise) const {
  if (errors == 0 && !failedPass.empty())
    return absl::InternalError(file + ": " + failedPass);
  if (errors == 0)
    return absl::InvalidArgumentError((file + ": " + otherwise).str());
  std::string more = errors == 1 ? "" : " (and " + std::to_string(errors - 1) + " more errors)";
  if (!failedPass.empty())
    more += " (" + failedPass + ")";
  return absl::InvalidArgumentError(first + more);
}
