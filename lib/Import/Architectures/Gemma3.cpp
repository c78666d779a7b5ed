//===- Gemma3.cpp - Gemma 3, text ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Norms before and after attention and feed-forward layer, and of each head's query and
// key. Five layers of six see a window of positions and rotate by a base of their own.
// Whoever writes such a file adds 1 to the weights of norms, which are stored as differences from
// it by the publishers, and splits a head into halves as they do.
//
//===----------------------------------------------------------------------===//

#include "Architectures/Families.h"

using namespace mlir::quench;

static constexpr LayerTensor layerTensors[] = {
    {LayerRole::AttentionNorm, "attn_norm.weight"},
    {LayerRole::Query, "attn_q.weight"},
    {LayerRole::Key, "attn_k.weight"},
    {LayerRole::Value, "attn_v.weight"},
    {LayerRole::QueryNorm, "attn_q_norm.weight"},
    {LayerRole::KeyNorm, "attn_k_norm.weight"},
    {LayerRole::AttentionOutput, "attn_output.weight"},
    {LayerRole::PostAttentionNorm, "post_attention_norm.weight"},
    {LayerRole::FeedForwardNorm, "ffn_norm.weight"},
    {LayerRole::Gate, "ffn_gate.weight"},
    {LayerRole::Up, "ffn_up.weight"},
    {LayerRole::Down, "ffn_down.weight"},
    {LayerRole::PostFeedForwardNorm, "post_ffw_norm.weight"},
};

static constexpr WindowedLayers windowedLayers = {/*period=*/6, /*base=*/10000};

// Caps of logits are Gemma 2's; models for embeddings attend both ways.
static constexpr RefusedKey refusedKeys[] = {
    {"attn_logit_softcapping", 0},
    {"final_logit_softcapping", 0},
    {"attention.causal", 1},
    {"attention.scale", 0},
};

constexpr ArchitectureDescription mlir::quench::gemma3Architecture = [] {
  ArchitectureDescription family;
  family.name = "gemma3";
  family.gate = GateFunction::GeluTanh;
  family.scaledEmbedding = true;
  family.windowedLayers = &windowedLayers;
  // The model with 27 billion weights, whose heads are shorter than embedding / heads.
  family.layersScaledByEmbedding = 62;
  family.layerTensors = layerTensors;
  family.refusedKeys = refusedKeys;
  return family;
}();
