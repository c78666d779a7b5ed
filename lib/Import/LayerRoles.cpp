//===- LayerRoles.cpp - what the tensors of a layer are --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LayerRoles.h"

using namespace mlir;
using namespace mlir::quench;

SmallVector<int64_t> mlir::quench::shapeOf(LayerRole role, const HyperParameters &parameters) {
  int64_t embedding = parameters.embedding;
  switch (role) {
  case LayerRole::AttentionNorm:
  case LayerRole::AttentionNormBias:
  case LayerRole::AttentionOutputBias:
  case LayerRole::PostAttentionNorm:
  case LayerRole::FeedForwardNorm:
  case LayerRole::FeedForwardNormBias:
  case LayerRole::DownBias:
  case LayerRole::PostFeedForwardNorm:
    return {embedding};
  case LayerRole::QueryNorm:
  case LayerRole::KeyNorm:
    return {parameters.headDim};
  case LayerRole::Query:
    return {parameters.queryFeatures(), embedding};
  case LayerRole::Key:
  case LayerRole::Value:
    return {parameters.cacheFeatures(), embedding};
  case LayerRole::QueryBias:
    return {parameters.queryFeatures()};
  case LayerRole::KeyBias:
  case LayerRole::ValueBias:
    return {parameters.cacheFeatures()};
  case LayerRole::QueryKeyValue:
    return {parameters.queryFeatures() + 2 * parameters.cacheFeatures(), embedding};
  case LayerRole::QueryKeyValueBias:
    return {parameters.queryFeatures() + 2 * parameters.cacheFeatures()};
  case LayerRole::AttentionOutput:
    return {embedding, parameters.queryFeatures()};
  case LayerRole::Gate:
  case LayerRole::Up:
    return {parameters.feedForward, embedding};
  case LayerRole::UpBias:
    return {parameters.feedForward};
  case LayerRole::GateUp:
    return {2 * parameters.feedForward, embedding};
  case LayerRole::Down:
    return {embedding, parameters.feedForward};
  }
  llvm_unreachable("every role has a shape");
}

std::optional<LayerRole> mlir::quench::biasOf(LayerRole role) {
  switch (role) {
  case LayerRole::AttentionNorm:
    return LayerRole::AttentionNormBias;
  case LayerRole::Query:
    return LayerRole::QueryBias;
  case LayerRole::Key:
    return LayerRole::KeyBias;
  case LayerRole::Value:
    return LayerRole::ValueBias;
  case LayerRole::AttentionOutput:
    return LayerRole::AttentionOutputBias;
  case LayerRole::FeedForwardNorm:
    return LayerRole::FeedForwardNormBias;
  case LayerRole::Up:
    return LayerRole::UpBias;
  case LayerRole::Down:
    return LayerRole::DownBias;
  default:
    return std::nullopt;
  }
}

std::optional<Part> mlir::quench::partOf(LayerRole role, const HyperParameters &parameters) {
  int64_t query = parameters.queryFeatures(), cache = parameters.cacheFeatures(),
          wide = parameters.feedForward;
  switch (role) {
  case LayerRole::Query:
    return Part{LayerRole::QueryKeyValue, 0, query, "attn_q"};
  case LayerRole::Key:
    return Part{LayerRole::QueryKeyValue, query, cache, "attn_k"};
  case LayerRole::Value:
    return Part{LayerRole::QueryKeyValue, query + cache, cache, "attn_v"};
  case LayerRole::QueryBias:
    return Part{LayerRole::QueryKeyValueBias, 0, query, "attn_q.bias"};
  case LayerRole::KeyBias:
    return Part{LayerRole::QueryKeyValueBias, query, cache, "attn_k.bias"};
  case LayerRole::ValueBias:
    return Part{LayerRole::QueryKeyValueBias, query + cache, cache, "attn_v.bias"};
  case LayerRole::Gate:
    return Part{LayerRole::GateUp, 0, wide, "ffn_gate"};
  case LayerRole::Up:
    return Part{LayerRole::GateUp, wide, wide, "ffn_up"};
  default:
    return std::nullopt;
  }
}
