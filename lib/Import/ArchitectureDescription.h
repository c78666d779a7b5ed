//===- ArchitectureDescription.h - what tells model families apart ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A family is a constant of this type in a file of its own below Architectures/ and a
// row in Architectures.cpp. The builder reads nothing else of a family, so what two
// families do differently is a field here.
//
//===----------------------------------------------------------------------===//
#ifndef QUENCH_LIB_IMPORT_ARCHITECTUREDESCRIPTION_H
#define QUENCH_LIB_IMPORT_ARCHITECTUREDESCRIPTION_H

#include "quench/Dialect/Quench/IR/QuenchAttrs.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::quench {

/// What a tensor of a layer is for; decides its shape and where the builder uses it.
enum class LayerRole {
  AttentionNorm,   // [embedding]
  Query,           // [heads * head dimension, embedding]
  Key,             // [cache heads * head dimension, embedding]
  Value,           // as Key
  AttentionOutput, // [embedding, heads * head dimension]
  FeedForwardNorm, // [embedding]
  Gate,            // [feed forward, embedding]
  Up,              // as Gate
  Down,            // [embedding, feed forward]
};

struct LayerTensor {
  LayerRole role;
  /// The tensor of layer N is called "blk.N.NAME.weight".
  StringRef name;
};

/// A metadata key that changes what a model computes in a way that is not supported.
struct RefusedKey {
  /// Without the architecture's prefix.
  StringRef key;
  /// The value under which it changes nothing.
  double neutral;
};

/// How the two halves of a feed-forward layer are joined.
enum class GateFunction {
  SiLU, // gate / (1 + exp(-gate)) * up
};

struct ArchitectureDescription {
  /// `general.architecture`; also the prefix of the metadata keys.
  StringRef name;
  /// Key of the epsilon of the norms, without the prefix.
  StringRef epsilonKey;
  /// Which elements of a head the file's query and key rows pair up.
  RopeStyle ropeStyle;
  GateFunction gate;
  /// In the order in which a block function takes them.
  ArrayRef<LayerTensor> layerTensors;
  ArrayRef<RefusedKey> refusedKeys;
};

/// The family of that name, or null.
const ArchitectureDescription *findArchitecture(StringRef name);

/// "llama, …", for messages.
std::string supportedArchitectures();

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_ARCHITECTUREDESCRIPTION_H
