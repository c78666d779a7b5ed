//===- ModelPath.h - what the argument MODEL stands for -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_MODELPATH_H
#define QUENCH_RT_MODEL_MODELPATH_H

#include "quench-rt/Model/Listener.h"
#include "quench-rt/Tokenizer/Tokenizer.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qrt {

enum class ModelKind {
  Package, ///< a folder with a manifest
  Gguf,    ///< a file that starts with GGUF's magic
  Program, ///< a file with MLIR text or bytecode, by its name
};

/// Looks at what is there; content is not checked further. An error names the path and
/// what would be accepted: with `programs`, files named .mlir or .mlirbc as well.
absl::StatusOr<ModelKind> classifyModel(const std::string &path, bool programs = false);

/// The tokenizer of a package or GGUF file.
absl::StatusOr<std::unique_ptr<Tokenizer>> loadTokenizer(const std::string &model);

/// How a prompt is encoded unless options say otherwise: beginning-of-text where the
/// model asks for it, never an end of text, since the model is to go on.
EncodeOptions promptEncoding();

/// Encodes, and notes bytes that the vocabulary has no token for.
absl::StatusOr<std::vector<int32_t>> encodePrompt(const Tokenizer &tokenizer,
                                                  absl::string_view text, EncodeOptions options,
                                                  const Listener &listener);

} // namespace qrt

#endif // QUENCH_RT_MODEL_MODELPATH_H
