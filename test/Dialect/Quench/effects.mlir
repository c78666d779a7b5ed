// What may move, merge or vanish: reads of a cache stay on their side of a write, pure ops are free. Semantics: CACHE-2
// RUN: quench-opt %s --cse --canonicalize | FileCheck %s

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
quench.weight @w {key = "w"} : !quench.qtensor<64x64, #quench.q4_1>

// Two reads with no write between them are one.
// CHECK-LABEL: func.func @reads
func.func @reads(%kv: !cache) -> (index, index) {
  // CHECK-NEXT: %[[N:.+]] = quench.cache_length
  // CHECK-NEXT: return %[[N]], %[[N]]
  %a = quench.cache_length %kv : !cache
  %b = quench.cache_length %kv : !cache
  return %a, %b : index, index
}

// CHECK-LABEL: func.func @reads_across_commit
func.func @reads_across_commit(%kv: !cache, %n: index) -> (index, index) {
  // CHECK-NEXT: %[[A:.+]] = quench.cache_length
  // CHECK-NEXT: quench.cache_commit
  // CHECK-NEXT: %[[B:.+]] = quench.cache_length
  // CHECK-NEXT: return %[[A]], %[[B]]
  %a = quench.cache_length %kv : !cache
  quench.cache_commit %kv, %n : !cache
  %b = quench.cache_length %kv : !cache
  return %a, %b : index, index
}

// CHECK-LABEL: func.func @positions_across_verify
func.func @positions_across_verify(%kv: !cache, %t: tensor<?xi32>, %x: tensor<?x8xf32>) -> (tensor<?xi32>, tensor<?xi32>) {
  // CHECK: %[[A:.+]] = quench.positions
  // CHECK: quench.verify
  // CHECK: %[[B:.+]] = quench.positions
  // CHECK: return %[[A]], %[[B]]
  %a = quench.positions %t, %kv : tensor<?xi32>, !cache -> tensor<?xi32>
  %r:4 = quench.verify %t, %t rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    quench.yield %x : tensor<?x8xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  %b = quench.positions %t, %kv : tensor<?xi32>, !cache -> tensor<?xi32>
  return %a, %b : tensor<?xi32>, tensor<?xi32>
}

// Attention appends, so the same attention twice is not once, and it stays without uses.
// CHECK-LABEL: func.func @attention
func.func @attention(%kv: !cache, %q: tensor<?x8xf32>, %p: tensor<?xi32>, %l: index) {
  // CHECK-COUNT-2: quench.attention
  // CHECK-NEXT: return
  %a = quench.attention %q, %q, %q, %p cache(%kv layer %l) scale(1.0) : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, !cache -> tensor<?x8xf32>
  %b = quench.attention %q, %q, %q, %p cache(%kv layer %l) scale(1.0) : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, !cache -> tensor<?x8xf32>
  return
}

// The host's answer to a draft may differ each time, but a draft changes nothing.
// CHECK-LABEL: func.func @drafts
func.func @drafts(%t: tensor<?xi32>, %k: index, %kv: !cache, %n: index) -> tensor<?xi32> {
  // CHECK-NEXT: %[[C:.+]] = quench.draft
  // CHECK-NEXT: return %[[C]]
  %c = quench.draft source(#quench.lookup) %t limit(%k : max 7) : tensor<?xi32> -> tensor<?xi32>
  %d = quench.draft source(#quench.lookup) %t limit(%k : max 7) : tensor<?xi32> -> tensor<?xi32>
  return %c : tensor<?xi32>
}

// CHECK-LABEL: func.func @pure
func.func @pure(%t: tensor<?xi32>, %x: tensor<?x64xf32>, %p: tensor<?xi32>, %v: !quench.qtensor<64, #quench.f32>) {
  // CHECK-NEXT: return
  %w = quench.get_weight @w : !quench.qtensor<64x64, #quench.q4_1>
  %s = quench.slice %w[8] : !quench.qtensor<64x64, #quench.q4_1> -> !quench.qtensor<8x64, #quench.q4_1>
  %d = quench.dequantize %s : !quench.qtensor<8x64, #quench.q4_1> -> tensor<8x64xf32>
  %e = quench.embedding %t, %w : tensor<?xi32>, !quench.qtensor<64x64, #quench.q4_1> -> tensor<?x64xf32>
  %y = quench.linear %x, %w : tensor<?x64xf32>, !quench.qtensor<64x64, #quench.q4_1> -> tensor<?x64xf32>
  %n = quench.rms_norm %x, %v eps(0.0) : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  %m = quench.layer_norm %x, %v eps(0.0) : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  %r = quench.rope halves %x, %p dim(2) inv_freq([1.0]) : tensor<?x64xf32>, tensor<?xi32>
  %q:3 = quench.quantize %x : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  %a:2 = quench.argmax %x : tensor<?x64xf32> -> tensor<?xi32>, tensor<?xf32>
  return
}

// On buffers a block op writes its destination: it stays, and what it wrote is read after it.
// CHECK-LABEL: func.func @buffers
func.func @buffers(%x: memref<4x64xf32>, %w: memref<64xf32>, %o: memref<4x64xf32>, %i: index) -> (f32, f32) {
  // CHECK: %[[A:.+]] = memref.load
  // CHECK: quench.block_norm
  // CHECK: %[[B:.+]] = memref.load
  // CHECK: return %[[A]], %[[B]]
  %a = memref.load %o[%i, %i] : memref<4x64xf32>
  quench.block_norm rms eps(1.0) ins(%x, %w : memref<4x64xf32>, memref<64xf32>) outs(%o : memref<4x64xf32>)
  %b = memref.load %o[%i, %i] : memref<4x64xf32>
  return %a, %b : f32, f32
}

// CHECK-LABEL: func.func @barrier
func.func @barrier(%x: memref<4xf32>, %i: index) -> (f32, f32) {
  // CHECK: %[[A:.+]] = memref.load
  // CHECK: quench.barrier
  // CHECK: %[[B:.+]] = memref.load
  // CHECK: return %[[A]], %[[B]]
  %a = memref.load %x[%i] : memref<4xf32>
  quench.barrier
  %b = memref.load %x[%i] : memref<4xf32>
  return %a, %b : f32, f32
}
