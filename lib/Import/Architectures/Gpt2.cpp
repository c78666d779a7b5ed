//===- Gpt2.cpp - GPT-2 --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Layer norms, learned positions, a feed-forward layer without a gate, and biases everywhere.
// Query, key and value are one tensor, which whoever writes such a file turns round.
//
//===----------------------------------------------------------------------===//

#include "Architectures/Families.h"

using namespace mlir::quench;

static constexpr LayerTensor layerTensors[] = {
    {LayerRole::AttentionNorm, "attn_norm.weight"},
    {LayerRole::AttentionNormBias, "attn_norm.bias"},
    {LayerRole::QueryKeyValue, "attn_qkv.weight"},
    {LayerRole::QueryKeyValueBias, "attn_qkv.bias"},
    {LayerRole::AttentionOutput, "attn_output.weight"},
    {LayerRole::AttentionOutputBias, "attn_output.bias"},
    {LayerRole::FeedForwardNorm, "ffn_norm.weight"},
    {LayerRole::FeedForwardNormBias, "ffn_norm.bias"},
    {LayerRole::Up, "ffn_up.weight"},
    {LayerRole::UpBias, "ffn_up.bias"},
    {LayerRole::Down, "ffn_down.weight"},
    {LayerRole::DownBias, "ffn_down.bias"},
};

static constexpr RefusedKey refusedKeys[] = {
    {"attention.causal", 1},
    {"attention.scale", 0},
};

constexpr ArchitectureDescription mlir::quench::gpt2Architecture = [] {
  ArchitectureDescription family;
  family.name = "gpt2";
  family.epsilonKey = "attention.layer_norm_epsilon";
  family.norm = NormKind::Layer;
  family.positions = PositionKind::Learned;
  family.gate = GateFunction::GeluTanh;
  family.layerTensors = layerTensors;
  family.refusedKeys = refusedKeys;
  return family;
}();
