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
  AttentionNorm,       // [embedding]
  AttentionNormBias,   // as AttentionNorm
  Query,               // [heads * head dimension, embedding]
  Key,                 // [cache heads * head dimension, embedding]
  Value,               // as Key
  QueryBias,           // [heads * head dimension]
  KeyBias,             // [cache heads * head dimension]
  ValueBias,           // as KeyBias
  QueryKeyValue,       // rows of Query, of Key, of Value
  QueryKeyValueBias,   // elements of QueryBias, of KeyBias, of ValueBias
  QueryNorm,           // [head dimension], of each head before it is rotated
  KeyNorm,             // as QueryNorm
  AttentionOutput,     // [embedding, heads * head dimension]
  AttentionOutputBias, // [embedding]
  PostAttentionNorm,   // [embedding], of what is added to the rows
  FeedForwardNorm,     // [embedding]
  FeedForwardNormBias, // as FeedForwardNorm
  Gate,                // [feed forward, embedding]
  Up,                  // as Gate
  UpBias,              // [feed forward]
  GateUp,              // rows of Gate, of Up
  Down,                // [embedding, feed forward]
  DownBias,            // [embedding]
  PostFeedForwardNorm, // as PostAttentionNorm
};

struct LayerTensor {
  LayerRole role;
  /// The tensor of layer N is called "blk.N.NAME".
  StringRef name;
};

/// A metadata key that changes what a model computes in a way that is not supported.
struct RefusedKey {
  /// Without the architecture's prefix.
  StringRef key;
  /// The value under which it changes nothing.
  double neutral;
};

/// What a feed-forward layer does with its gate before it is multiplied with the other half;
/// without a gate, with the only half there is.
enum class GateFunction {
  SiLU,     // x / (1 + exp(-x))
  GeluTanh, // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
};

/// Layers that attend to the last `attention.sliding_window` positions only.
struct WindowedLayers {
  /// The last of every so many layers attends to all positions, unless
  /// `attention.sliding_window_pattern` says another number. 0: none does, whatever the file
  /// says, and a window of 0 or no such key means that all do.
  int64_t period = 0;
  /// Base of rotary positions in windowed layers, unless `rope.freq_base_swa` says another;
  /// scaling is for the other layers. 0: layers are rotated alike.
  double base = 0;
};

/// How a model knows the order of its tokens.
enum class PositionKind {
  Rotary,  // queries and keys are rotated
  Learned, // rows of the tensor "position_embd.weight" are added to embeddings
};

struct ArchitectureDescription {
  /// `general.architecture`; also the prefix of the metadata keys.
  StringRef name;
  /// Key of the epsilon of the norms, without the prefix.
  StringRef epsilonKey = "attention.layer_norm_rms_epsilon";
  /// With NormKind::Layer there is a tensor "output_norm.bias", too.
  NormKind norm = NormKind::RMS;
  PositionKind positions = PositionKind::Rotary;
  /// Which elements of a head the file's query and key rows pair up.
  RopeStyle ropeStyle = RopeStyle::Halves;
  /// `rope.dimension_count` may be less than the length of a head: so many of its first elements
  /// are rotated.
  bool partialRotation = false;
  GateFunction gate = GateFunction::SiLU;
  /// Embeddings are multiplied with the square root of their length.
  bool scaledEmbedding = false;
  /// Null if all layers attend to all positions.
  const WindowedLayers *windowedLayers = nullptr;
  /// A model of exactly so many layers scales products of queries and keys by
  /// 1 / sqrt(embedding / heads); all others by 1 / sqrt(head dimension).
  int64_t layersScaledByEmbedding = 0;
  /// In the order in which a block function takes them.
  ArrayRef<LayerTensor> layerTensors;
  ArrayRef<RefusedKey> refusedKeys;

  /// Whether layers have a tensor for `role`.
  bool has(LayerRole role) const;
};

/// The family of that name, or null.
const ArchitectureDescription *findArchitecture(StringRef name);

/// "llama, …", for messages.
std::string supportedArchitectures();

} // namespace mlir::quench

#endif // QUENCH_LIB_IMPORT_ARCHITECTUREDESCRIPTION_H
