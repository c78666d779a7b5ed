// Every block op and every op of threads and buffers reads back as it was written, on tensors and on buffers.
// RUN: quench-opt %s --verify-roundtrip | FileCheck %s --strict-whitespace
// RUN: quench-opt %s --mlir-print-op-generic | quench-opt | FileCheck %s
// RUN: quench-opt %s --emit-bytecode | quench-opt | FileCheck %s

!cache = !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16>
quench.weight @w {key = "w"} : !quench.qtensor<20x64, #quench.q4_1>

// CHECK-LABEL: func.func @packed_weight
func.func @packed_weight() {
  // CHECK: quench.packed_weight @w layout(#quench.rows<8>) : tensor<3x2x160xi8>
  %a = quench.packed_weight @w layout(#quench.rows<8>) : tensor<3x2x160xi8>
  // CHECK: quench.packed_weight @w layout(#quench.plain) : memref<20x2x20xi8>
  %b = quench.packed_weight @w layout(#quench.plain) : memref<20x2x20xi8>
  return
}

// CHECK-LABEL: func.func @matmul
func.func @matmul(%w: tensor<3x2x160xi8>, %f: tensor<3x64x8xf16>, %a: tensor<?x64xi8>, %s: tensor<?x2xf32>, %x: tensor<?x64xf32>, %o: tensor<?x24xf32>) {
  // CHECK: quench.block_matmul #quench.q4_1 weights(%{{.+}} : tensor<3x2x160xi8>) acts(%{{.+}} : tensor<?x64xi8>) scales(%{{.+}} : tensor<?x2xf32>) sums(%{{.+}} : tensor<?x2xf32>) outs(%{{.+}} : tensor<?x24xf32>) -> tensor<?x24xf32>
  %0 = quench.block_matmul #quench.q4_1 weights(%w : tensor<3x2x160xi8>) acts(%a : tensor<?x64xi8>) scales(%s : tensor<?x2xf32>) sums(%s : tensor<?x2xf32>) outs(%o : tensor<?x24xf32>) -> tensor<?x24xf32>
  // CHECK: quench.block_matmul #quench.f16 weights(%{{.+}} : tensor<3x64x8xf16>) acts(%{{.+}} : tensor<?x64xf32>) outs(%{{.+}} : tensor<?x24xf32>) -> tensor<?x24xf32>
  %1 = quench.block_matmul #quench.f16 weights(%f : tensor<3x64x8xf16>) acts(%x : tensor<?x64xf32>) outs(%o : tensor<?x24xf32>) -> tensor<?x24xf32>
  return
}

// CHECK-LABEL: func.func @matmul_buffers
func.func @matmul_buffers(%w: memref<3x2x160xi8, strided<[320, 160, 1], offset: ?>>, %x: memref<?x64xf32>, %o: memref<?x24xf32, strided<[48, 1], offset: ?>>) {
  // CHECK: quench.block_matmul #quench.q4_1 weights(%{{.+}} : memref<3x2x160xi8, strided<[320, 160, 1], offset: ?>>) acts(%{{.+}} : memref<?x64xf32>) outs(%{{.+}} : memref<?x24xf32, strided<[48, 1], offset: ?>>){{$}}
  quench.block_matmul #quench.q4_1 weights(%w : memref<3x2x160xi8, strided<[320, 160, 1], offset: ?>>) acts(%x : memref<?x64xf32>) outs(%o : memref<?x24xf32, strided<[48, 1], offset: ?>>)
  return
}

// CHECK-LABEL: func.func @rowwise
func.func @rowwise(%w: tensor<3x2x160xi8>, %ids: tensor<?xi32>, %x: tensor<?x64xf32>, %v: tensor<64xf32>, %c: tensor<?x64xi8>, %s: tensor<?x2xf32>, %t: tensor<?x4xf32>) {
  // CHECK: quench.block_embedding #quench.q4_1 weights(%{{.+}} : tensor<3x2x160xi8>) rows(20) ids(%{{.+}} : tensor<?xi32>) outs(%{{.+}} : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = quench.block_embedding #quench.q4_1 weights(%w : tensor<3x2x160xi8>) rows(20) ids(%ids : tensor<?xi32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  // CHECK: quench.block_norm rms eps(1.000000e+00) ins(%{{.+}}, %{{.+}} : tensor<?x64xf32>, tensor<64xf32>) outs(%{{.+}} : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = quench.block_norm rms eps(1.0) ins(%x, %v : tensor<?x64xf32>, tensor<64xf32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  // CHECK: quench.block_norm layer eps(1.000000e+00) ins(%{{.+}}, %{{.+}} : tensor<?x64xf32>, tensor<64xf32>) bias(%{{.+}} : tensor<64xf32>) outs(%{{.+}} : tensor<?x64xf32>) -> tensor<?x64xf32>
  %2 = quench.block_norm layer eps(1.0) ins(%x, %v : tensor<?x64xf32>, tensor<64xf32>) bias(%v : tensor<64xf32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  // CHECK: quench.block_quantize ins(%{{.+}} : tensor<?x64xf32>) outs(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  %3:3 = quench.block_quantize ins(%x : tensor<?x64xf32>) outs(%c, %s, %s : tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  // CHECK: quench.block_rope_table ins(%{{.+}} : tensor<?xi32>) inv_freq([1.000000e+00, 1.000000e-01]) outs(%{{.+}} : tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = quench.block_rope_table ins(%ids : tensor<?xi32>) inv_freq([1.0, 0.1]) outs(%t : tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: quench.block_rope halves dim(8) ins(%{{.+}}, %{{.+}} : tensor<?x64xf32>, tensor<?x4xf32>) outs(%{{.+}} : tensor<?x64xf32>) -> tensor<?x64xf32>
  %5 = quench.block_rope halves dim(8) ins(%x, %4 : tensor<?x64xf32>, tensor<?x4xf32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// CHECK-LABEL: func.func @attention
func.func @attention(%k: tensor<?x8xf32>, %p: tensor<?xi32>, %kv: !cache, %layer: index, %q: tensor<?x16xf32>) {
  // CHECK: quench.block_append ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>) cache(%{{.+}} layer %{{.+}} : !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16>){{$}}
  quench.block_append ins(%k, %k, %p : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>) cache(%kv layer %layer : !cache)
  // CHECK: quench.block_attend ins(%{{.+}}, %{{.+}} : tensor<?x16xf32>, tensor<?xi32>) cache(%{{.+}} layer %{{.+}} : !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16>) heads(%{{.+}} group 2) scale(5.000000e-01) outs(%{{.+}} : tensor<?x16xf32>) -> tensor<?x16xf32>
  %0 = quench.block_attend ins(%q, %p : tensor<?x16xf32>, tensor<?xi32>) cache(%kv layer %layer : !cache) heads(%layer group 2) scale(0.5) outs(%q : tensor<?x16xf32>) -> tensor<?x16xf32>
  // CHECK: quench.block_attend {{.+}} scale(5.000000e-01) window(20) outs(
  %1 = quench.block_attend ins(%q, %p : tensor<?x16xf32>, tensor<?xi32>) cache(%kv layer %layer : !cache) heads(%layer group 2) scale(0.5) window(20) outs(%q : tensor<?x16xf32>) -> tensor<?x16xf32>
  return
}

// CHECK-LABEL: func.func @argmax
func.func @argmax(%x: memref<?x64xf32>, %o: index, %v: memref<?x2xf32>, %i: memref<?x2xi32>, %bi: memref<?xi32>, %bv: memref<?xf32>) {
  // CHECK: quench.block_argmax ins(%{{.+}} : memref<?x64xf32>) segment(32) origin(%{{.+}}) outs(%{{.+}}, %{{.+}} : memref<?x2xf32>, memref<?x2xi32>){{$}}
  quench.block_argmax ins(%x : memref<?x64xf32>) segment(32) origin(%o) outs(%v, %i : memref<?x2xf32>, memref<?x2xi32>)
  // CHECK: quench.block_argmax_merge ins(%{{.+}}, %{{.+}} : memref<?x2xf32>, memref<?x2xi32>) outs(%{{.+}}, %{{.+}} : memref<?xi32>, memref<?xf32>){{$}}
  quench.block_argmax_merge ins(%v, %i : memref<?x2xf32>, memref<?x2xi32>) outs(%bi, %bv : memref<?xi32>, memref<?xf32>)
  return
}

// CHECK-LABEL: func.func @host_draft
func.func @host_draft(%p: tensor<?xi32>, %k: index, %c: tensor<7xi32>, %n: tensor<1xi64>) {
  // CHECK: quench.host_draft "lookup" ins(%{{.+}} : tensor<?xi32>) limit(%{{.+}}) outs(%{{.+}}, %{{.+}} : tensor<7xi32>, tensor<1xi64>) -> tensor<7xi32>, tensor<1xi64>
  %0:2 = quench.host_draft "lookup" ins(%p : tensor<?xi32>) limit(%k) outs(%c, %n : tensor<7xi32>, tensor<1xi64>) -> tensor<7xi32>, tensor<1xi64>
  return
}

// CHECK-LABEL: func.func @threads
func.func @threads(%n: index, %kv: !cache) {
  // CHECK: quench.thread_id
  %t = quench.thread_id
  // CHECK: quench.num_threads
  %c = quench.num_threads
  // CHECK: quench.barrier
  quench.barrier
  // CHECK: quench.workspace 64(%{{.+}}) : memref<?x8xf32>
  %a = quench.workspace 64(%n) : memref<?x8xf32>
  // CHECK: quench.workspace private 0() : memref<8xi8>
  %b = quench.workspace private 0() : memref<8xi8>
  // CHECK: quench.result 2 = %{{.+}} : memref<?x8xf32>
  quench.result 2 = %a : memref<?x8xf32>
  // CHECK: quench.result 3 = %{{.+}} : index
  quench.result 3 = %n : index
  // CHECK: quench.cache_page keys of %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] : !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16> -> memref<8x16xf16>
  %k = quench.cache_page keys of %kv[%n, %n, %n] : !cache -> memref<8x16xf16>
  // CHECK: quench.cache_page values of {{.+}} -> memref<16x8xf16>
  %v = quench.cache_page values of %kv[%n, %n, %n] : !cache -> memref<16x8xf16>
  // CHECK: quench.cache_capacity %{{.+}} : !quench.paged_cache
  %p = quench.cache_capacity %kv : !cache
  return
}
