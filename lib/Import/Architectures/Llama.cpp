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
    {LayerRole::AttentionNorm, "attn_norm"},
    {LayerRole::Query, "attn_q"},
    {LayerRole::Key, "attn_k"},
    {LayerRole::Value, "attn_v"},
    {LayerRole::AttentionOutput, "attn_output"},
    {LayerRole::FeedForwardNorm, "ffn_norm"},
    {LayerRole::Gate, "ffn_gate"},
    {LayerRole::Up, "ffn_up"},
    {LayerRole::Down, "ffn_down"},
};

// Mixtures of experts, windows and the scales of derived models come under the same
// architecture name.
static constexpr RefusedKey refusedKeys[] = {
    {"expert_count", 0},     {"attention.sliding_window", 0}, {"attention.scale", 0},
    {"attention.causal", 1}, {"embedding_scale", 1},          {"residual_scale", 1},
    {"logit_scale", 1},
};

constexpr ArchitectureDescription mlir::quench::llamaArchitecture = {
    /*name=*/"llama",
    /*epsilonKey=*/"attention.layer_norm_rms_epsilon",
    /*ropeStyle=*/RopeStyle::Adjacent,
    /*gate=*/GateFunction::SiLU,
    layerTensors,
    refusedKeys,
};
