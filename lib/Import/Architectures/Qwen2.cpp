//===- Qwen2.cpp - Qwen 2 and 2.5 ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// As Llama, with biases of query, key and value, and heads split into halves.
//
//===----------------------------------------------------------------------===//

#include "Architectures/Families.h"

using namespace mlir::quench;

static constexpr LayerTensor layerTensors[] = {
    {LayerRole::AttentionNorm, "attn_norm.weight"},
    {LayerRole::Query, "attn_q.weight"},
    {LayerRole::Key, "attn_k.weight"},
    {LayerRole::Value, "attn_v.weight"},
    {LayerRole::QueryBias, "attn_q.bias"},
    {LayerRole::KeyBias, "attn_k.bias"},
    {LayerRole::ValueBias, "attn_v.bias"},
    {LayerRole::AttentionOutput, "attn_output.weight"},
    {LayerRole::FeedForwardNorm, "ffn_norm.weight"},
    {LayerRole::Gate, "ffn_gate.weight"},
    {LayerRole::Up, "ffn_up.weight"},
    {LayerRole::Down, "ffn_down.weight"},
};

// What converters write for relatives that compute something else.
static constexpr RefusedKey refusedKeys[] = {
    {"expert_count", 0},
    {"attention.sliding_window", 0},
    {"attention.causal", 1},
};

constexpr ArchitectureDescription mlir::quench::qwen2Architecture = [] {
  ArchitectureDescription family;
  family.name = "qwen2";
  family.layerTensors = layerTensors;
  family.refusedKeys = refusedKeys;
  return family;
}();
