//===- FileErrors.h - messages about items of a model file -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_IMPORT_FILEERRORS_H
#define QUENCH_LIB_IMPORT_FILEERRORS_H

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Support/Text.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <string_view>

namespace mlir::quench {

inline std::string_view toStd(llvm::StringRef text) { return {text.data(), text.size()}; }
inline absl::string_view toAbsl(llvm::StringRef text) { return {text.data(), text.size()}; }
inline llvm::StringRef toLLVM(std::string_view text) { return {text.data(), text.size()}; }

/// "PATH: metadata 'KEY'".
inline std::string aboutKey(const qrt::GgufFile &file, std::string_view key) {
  return absl::StrCat(file.path(), ": metadata ", qrt::quoted(key));
}

/// "PATH: tensor 'NAME'".
inline std::string aboutTensor(const qrt::GgufFile &file, std::string_view name) {
  return absl::StrCat(file.path(), ": tensor ", qrt::quoted(name));
}

/// "[576, 1536] in Q4_1".
inline std::string describeTensor(const qrt::GgufTensor &tensor) {
  std::string_view type = qrt::ggmlTypeName(tensor.ggmlType);
  return absl::StrCat("[", absl::StrJoin(tensor.shape(), ", "), "] in ",
                      type.empty() ? absl::StrCat("type ", tensor.ggmlType) : std::string(type));
}

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_FILEERRORS_H
