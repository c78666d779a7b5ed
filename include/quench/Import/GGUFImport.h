//===- GGUFImport.h - a GGUF file as a module of the dialect ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The module has one `quench.weight` per tensor that the program reads, one private
// block function per kind of layer, a private `@trunk` that runs the layers on embedded
// rows (through private functions of eight layers each), and three entries:
//
//   @prefill(tokens, cache)                  appends to the cache
//   @logits(tokens, cache) -> rows x vocabulary f32
//   @greedy(tokens, cache) -> best ids, their logits
//
// Each runs its tokens at the positions after the cache's length and commits them.
// The bytes of the weights stay in the file.
//
// The module depends on the file's contents alone, its name included only if the file
// carries no `general.name`.
//
//===----------------------------------------------------------------------===//
#ifndef QUENCH_IMPORT_GGUFIMPORT_H
#define QUENCH_IMPORT_GGUFIMPORT_H

#include "absl/status/statusor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quench/Dialect/Quench/IR/QuenchAttrs.h"

#include <string>

namespace qrt {
class GgufFile;
} // namespace qrt

namespace mlir::quench {

struct ImportOptions {
  /// Numbers that block formats are multiplied with; also decides the cache's element
  /// type: f16 with i8, f32 with f32.
  Activations activations = Activations::I8;
  /// Positions of a sequence; 0 for the file's own number, which is the largest allowed.
  int64_t context = 0;
  /// The layers that the program has, "0-11,15-29", counted from 0; empty: all of the file's.
  std::string layers;
  /// Bound of the rows of one call.
  int64_t maxRows = 64;
};

/// Loads the dialects it needs into `context`.
///
/// Unimplemented for an architecture, feature or format that is not supported;
/// NotFound and InvalidArgument for missing or contradictory metadata and tensors.
/// Messages: "PATH: metadata 'KEY' | tensor 'NAME': what was found, expected what".
absl::StatusOr<OwningOpRef<ModuleOp>> importGGUF(MLIRContext &context, const qrt::GgufFile &file,
                                                 const ImportOptions &options);

} // namespace mlir::quench

#endif // QUENCH_IMPORT_GGUFIMPORT_H
