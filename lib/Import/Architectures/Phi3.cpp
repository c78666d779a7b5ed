//===- Phi3.cpp - Phi 3, 3.5 and 4 ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// As Llama, with query, key and value in one tensor, gate and up in another, and heads split into
// halves, of which some models rotate a part. All layers have the same window or none.
//
//===----------------------------------------------------------------------===//

#include "Architectures/Families.h"

using namespace mlir::quench;

static constexpr LayerTensor layerTensors[] = {
    {LayerRole::AttentionNorm, "attn_norm.weight"},
    {LayerRole::QueryKeyValue, "attn_qkv.weight"},
    {LayerRole::AttentionOutput, "attn_output.weight"},
    {LayerRole::FeedForwardNorm, "ffn_norm.weight"},
    {LayerRole::GateUp, "ffn_up.weight"},
    {LayerRole::Down, "ffn_down.weight"},
};

static constexpr WindowedLayers windowedLayers = {/*period=*/0, /*base=*/0};

// Long contexts stretch frequencies by tensors of their own, which are refused as unknown, and
// scores by this factor.
static constexpr RefusedKey refusedKeys[] = {
    {"expert_count", 0},
    {"attention.causal", 1},
    {"rope.scaling.attn_factor", 1},
};

constexpr ArchitectureDescription mlir::quench::phi3Architecture = [] {
  ArchitectureDescription family;
  family.name = "phi3";
  family.partialRotation = true;
  family.windowedLayers = &windowedLayers;
  family.layerTensors = layerTensors;
  family.refusedKeys = refusedKeys;
  return family;
}();
