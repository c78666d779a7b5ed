//===- Qwen3.cpp - Qwen 3 ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// As Llama, with norms of each head's query and key, and heads split into halves. A head's length
// is a number of its own.
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

constexpr ArchitectureDescription mlir::quench::qwen3Architecture = [] {
  ArchitectureDescription family;
  family.name = "qwen3";
  family.layerTensors = layerTensors;
  family.refusedKeys = refusedKeys;
  return family;
}();
