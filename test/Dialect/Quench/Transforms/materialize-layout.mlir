// RUN: quench-opt %s --split-input-file --quench-materialize-layout --canonicalize | FileCheck %s

quench.weight @w {key = "w"} : !quench.qtensor<20x64, #quench.q4_1>

// Rows are quantized once for all weights in integer formats; a float weight reads the rows themselves. 20 features are
// 3 groups of 8, and what the last group has too much is cut off.
// CHECK-LABEL: func.func @linear
// CHECK-SAME: (%[[X:.+]]: tensor<?x64xf32>, %[[F:.+]]: tensor<1x64x8xf16>)
func.func @linear(%x: tensor<?x64xf32>, %f: !quench.qtensor<8x64, #quench.f16>) -> (tensor<?x20xf32>, tensor<?x8xf32>, tensor<?x20xf32>) {
  // CHECK-DAG: %[[W:.+]] = quench.packed_weight @w layout(#quench.rows<8>) : tensor<3x2x160xi8>
  // CHECK-DAG: %[[Q:.+]]:3 = quench.block_quantize ins(%[[X]] : tensor<?x64xf32>)
  // CHECK: %[[Y:.+]] = quench.block_matmul #quench.q4_1 weights(%[[W]] : tensor<3x2x160xi8>) acts(%[[Q]]#0 : tensor<?x64xi8>) scales(%[[Q]]#1 : tensor<?x2xf32>) sums(%[[Q]]#2 : tensor<?x2xf32>) outs(%{{.+}} : tensor<?x24xf32>)
  // CHECK: tensor.extract_slice %[[Y]][0, 0] [%{{.+}}, 20] [1, 1] : tensor<?x24xf32> to tensor<?x20xf32>
  // CHECK: quench.block_matmul #quench.f16 weights(%[[F]] : tensor<1x64x8xf16>) acts(%[[X]] : tensor<?x64xf32>) outs
  // CHECK-NOT: block_quantize
  %w = quench.get_weight @w : !quench.qtensor<20x64, #quench.q4_1>
  %0:2 = quench.linear %x, %w, %f activations(i8) {quench.layout = #quench.rows<8>} : tensor<?x64xf32>, !quench.qtensor<20x64, #quench.q4_1>, !quench.qtensor<8x64, #quench.f16> -> tensor<?x20xf32>, tensor<?x8xf32>
  %1 = quench.linear %x, %w activations(i8) {quench.layout = #quench.rows<8>} : tensor<?x64xf32>, !quench.qtensor<20x64, #quench.q4_1> -> tensor<?x20xf32>
  // CHECK: return
  return %0#0, %0#1, %1 : tensor<?x20xf32>, tensor<?x8xf32>, tensor<?x20xf32>
}

// CHECK-LABEL: func.func @linear_f32
// CHECK-NOT: quench.block_quantize
// CHECK: quench.block_matmul #quench.q4_1 weights(%{{.+}}) acts(%{{.+}} : tensor<?x64xf32>) outs
func.func @linear_f32(%x: tensor<?x64xf32>) -> tensor<?x20xf32> {
  %w = quench.get_weight @w : !quench.qtensor<20x64, #quench.q4_1>
  %0 = quench.linear %x, %w {quench.layout = #quench.rows<8>} : tensor<?x64xf32>, !quench.qtensor<20x64, #quench.q4_1> -> tensor<?x20xf32>
  return %0 : tensor<?x20xf32>
}

// -----

quench.weight @e {key = "e"} : !quench.qtensor<100x64, #quench.q8_0>
quench.weight @n {key = "n"} : !quench.qtensor<64, #quench.f32>

// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[T:.+]]: tensor<?xi32>)
func.func @rows(%t: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xf32>) {
  // CHECK-DAG: %[[E:.+]] = quench.packed_weight @e layout(#quench.rows<8>) : tensor<13x2x272xi8>
  // CHECK-DAG: %[[N:.+]] = quench.packed_weight @n layout(#quench.plain) : tensor<64xf32>
  %e = quench.get_weight @e : !quench.qtensor<100x64, #quench.q8_0>
  %n = quench.get_weight @n : !quench.qtensor<64, #quench.f32>
  // CHECK: %[[X:.+]] = quench.block_embedding #quench.q8_0 weights(%[[E]] : tensor<13x2x272xi8>) rows(100) ids(%[[T]] : tensor<?xi32>)
  %x = quench.embedding %t, %e {quench.layout = #quench.rows<8>} : tensor<?xi32>, !quench.qtensor<100x64, #quench.q8_0> -> tensor<?x64xf32>
  // CHECK: %[[A:.+]] = quench.block_norm rms eps(0.000000e+00) ins(%[[X]], %[[N]] : tensor<?x64xf32>, tensor<64xf32>) outs
  %a = quench.rms_norm %x, %n eps(0.0) {quench.layout = #quench.plain} : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  // CHECK: %[[B:.+]] = quench.block_norm layer eps(1.000000e+00) ins(%[[A]], %[[N]] : tensor<?x64xf32>, tensor<64xf32>) bias(%[[N]] : tensor<64xf32>) outs
  %b = quench.layer_norm %a, %n bias(%n : !quench.qtensor<64, #quench.f32>) eps(1.0) {quench.layout = #quench.plain} : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  // CHECK: %[[TABLE:.+]] = quench.block_rope_table ins(%[[T]] : tensor<?xi32>) inv_freq([1.000000e+00]) outs(%{{.+}} : tensor<?x2xf32>)
  // CHECK: %[[R:.+]] = quench.block_rope halves dim(8) ins(%[[B]], %[[TABLE]] : tensor<?x64xf32>, tensor<?x2xf32>) outs
  %r = quench.rope halves %b, %t dim(8) inv_freq([1.0]) : tensor<?x64xf32>, tensor<?xi32>
  // CHECK: %[[P:.+]]:2 = quench.block_argmax ins(%[[R]] : tensor<?x64xf32>) segment(64) origin(%{{.+}}) outs(%{{.+}}, %{{.+}} : tensor<?x1xf32>, tensor<?x1xi32>)
  // CHECK: quench.block_argmax_merge ins(%[[P]]#0, %[[P]]#1 : tensor<?x1xf32>, tensor<?x1xi32>) outs(%{{.+}}, %{{.+}} : tensor<?xi32>, tensor<?xf32>)
  %i, %v = quench.argmax %r : tensor<?x64xf32> -> tensor<?xi32>, tensor<?xf32>
  return %i, %v : tensor<?xi32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @dequantize
// CHECK-NEXT: %[[N:.+]] = quench.packed_weight @n layout(#quench.plain) : tensor<64xf32>
// CHECK-NEXT: return %[[N]]
func.func @dequantize() -> tensor<64xf32> {
  %n = quench.get_weight @n : !quench.qtensor<64, #quench.f32>
  %0 = quench.dequantize %n {quench.layout = #quench.plain} : !quench.qtensor<64, #quench.f32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: func.func @quantize
// CHECK: quench.block_quantize ins(%{{.+}} : tensor<?x64xf32>)
func.func @quantize(%x: tensor<?x64xf32>) -> (tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %0:3 = quench.quantize %x : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  return %0#0, %0#1, %0#2 : tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f16, slots = 8>
// Appended first, then read from the cache.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: (%[[Q:.+]]: tensor<?x48xf32>, %[[K:.+]]: tensor<?x16xf32>, %[[P:.+]]: tensor<?xi32>, %[[KV:.+]]: !quench.{{.+}}, %[[L:.+]]: index)
func.func @attention(%q: tensor<?x48xf32>, %k: tensor<?x16xf32>, %p: tensor<?xi32>, %kv: !cache, %l: index) -> tensor<?x48xf32> {
  // CHECK: quench.block_append ins(%[[K]], %[[K]], %[[P]] : {{.+}}) cache(%[[KV]] layer %[[L]] :
  // CHECK: quench.block_attend ins(%[[Q]], %[[P]] : {{.+}}) cache(%[[KV]] layer %[[L]] : {{.+}}) heads(%{{.+}} group 3) scale(5.000000e-01) outs
  %0 = quench.attention %q, %k, %k, %p cache(%kv layer %l) scale(0.5) : tensor<?x48xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?xi32>, !cache -> tensor<?x48xf32>
  // CHECK: quench.block_attend {{.+}} scale(5.000000e-01) window(9) outs
  %1 = quench.attention %0, %k, %k, %p cache(%kv layer %l) scale(0.5) window(9) : tensor<?x48xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?xi32>, !cache -> tensor<?x48xf32>
  return %1 : tensor<?x48xf32>
}

// -----

quench.weight @v {key = "v"} : !quench.qtensor<64, #quench.f32>
quench.weight @w {key = "w"} : !quench.qtensor<32x64, #quench.q8_0>

// The layout goes with the weight through calls, and a slice of rows is a slice of groups.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%[[X:.+]]: tensor<?x64xf32>, %[[V:.+]]: tensor<64xf32>, %[[W:.+]]: tensor<4x2x272xi8>)
func.func private @layer(%x: tensor<?x64xf32>, %v: !quench.qtensor<64, #quench.f32>, %w: !quench.qtensor<32x64, #quench.q8_0>) -> tensor<?x16xf32> {
  // CHECK: %[[S:.+]] = tensor.extract_slice %[[W]][2, 0, 0] [2, 2, 272] [1, 1, 1] : tensor<4x2x272xi8> to tensor<2x2x272xi8>
  // CHECK: quench.block_matmul #quench.q8_0 weights(%[[S]] : tensor<2x2x272xi8>)
  %s = quench.slice %w[16] : !quench.qtensor<32x64, #quench.q8_0> -> !quench.qtensor<16x64, #quench.q8_0>
  %n = quench.rms_norm %x, %v eps(0.0) {quench.layout = #quench.plain} : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  %0 = quench.linear %n, %s {quench.layout = #quench.rows<8>} : tensor<?x64xf32>, !quench.qtensor<16x64, #quench.q8_0> -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
// CHECK-LABEL: func.func @caller
func.func @caller(%x: tensor<?x64xf32>) -> tensor<?x16xf32> {
  // CHECK-DAG: %[[V:.+]] = quench.packed_weight @v layout(#quench.plain) : tensor<64xf32>
  // CHECK-DAG: %[[W:.+]] = quench.packed_weight @w layout(#quench.rows<8>) : tensor<4x2x272xi8>
  // CHECK: call @layer(%{{.+}}, %[[V]], %[[W]]) : (tensor<?x64xf32>, tensor<64xf32>, tensor<4x2x272xi8>) -> tensor<?x16xf32>
  %v = quench.get_weight @v : !quench.qtensor<64, #quench.f32>
  %w = quench.get_weight @w : !quench.qtensor<32x64, #quench.q8_0>
  %0 = call @layer(%x, %v, %w) : (tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>, !quench.qtensor<32x64, #quench.q8_0>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
