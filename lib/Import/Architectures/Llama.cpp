//===- Llama.cpp - Llama, Mistral, SmolLM2 ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Pre-norm layers: attention with rotary positions and shared key/value heads, then a
// gated feed-forward layer. Whoever writes such a file reorders the rows of query and
// key, so that the elements that are rotated together are neighbours.
//
//===----------------------------------------------------------------------===//

#include "Architectures/Families.h"

using namespace mlir::quench;

static constexpr LayerTensor layerTensors[] = {
    {LayerRole::AttentionNorm, "attn_norm.weight"},
    {LayerRole::Query, "attn_q.weight"},
    {LayerRole::Key, "attn_k.weight"},
    {LayerRole::Value, "attn_v.weight"},
    {LayerRole::AttentionOutput, "attn_output.weight"},
    {LayerRole::FeedForwardNorm, "ffn_norm.weight"},
    {LayerRole::Gate, "ffn_gate.weight"},
    {LayerRole::Up, "ffn_up.weight"},
    {LayerRole::Down, "ffn_down.weight"},
};

// Mixtures of experts, windows and the scales of derived models come under the same
// architecture name.
static constexpr RefusedKey refusedKeys[] = {
    {"expert_count", 0},     {"attention.sliding_window", 0}, {"attention.scale", 0},
    {"attention.causal", 1}, {"embedding_scale", 1},          {"residual_scale", 1},
    {"logit_scale", 1},
};

constexpr ArchitectureDescription mlir::quench::llamaArchitecture = [] {
  ArchitectureDescription family;
  family.name = "llama";
  family.ropeStyle = RopeStyle::Adjacent;
  family.layerTensors = layerTensors;
  family.refusedKeys = refusedKeys;
  return family;
}();
