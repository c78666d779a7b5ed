// Every model op reads back as it was written: as text, in the generic form and as bytecode.
// RUN: quench-opt %s --verify-roundtrip | FileCheck %s --strict-whitespace
// RUN: quench-opt %s --mlir-print-op-generic | quench-opt | FileCheck %s
// RUN: quench-opt %s --emit-bytecode | quench-opt | FileCheck %s

// CHECK: quench.weight @blk0.q {hash = "0123456789abcdef0123456789ABCDEF", key = "blk.0.q.weight"} : !quench.qtensor<64x32, #quench.q4_1>
quench.weight @blk0.q {key = "blk.0.q.weight", hash = "0123456789abcdef0123456789ABCDEF"} : !quench.qtensor<64x32, #quench.q4_1>
// CHECK: quench.weight @"a name" {key = "x"} : !quench.qtensor<32, #quench.f32>
quench.weight @"a name" {key = "x"} : !quench.qtensor<32, #quench.f32>

// CHECK-LABEL: func.func @weights
func.func @weights() -> tensor<32xf32> {
  // CHECK: %[[Q:.+]] = quench.get_weight @blk0.q : !quench.qtensor<64x32, #quench.q4_1>
  %q = quench.get_weight @blk0.q : !quench.qtensor<64x32, #quench.q4_1>
  // CHECK: quench.slice %[[Q]][16] : !quench.qtensor<64x32, #quench.q4_1> -> !quench.qtensor<48x32, #quench.q4_1>
  %s = quench.slice %q[16] : !quench.qtensor<64x32, #quench.q4_1> -> !quench.qtensor<48x32, #quench.q4_1>
  // CHECK: %[[N:.+]] = quench.get_weight @"a name"
  %n = quench.get_weight @"a name" : !quench.qtensor<32, #quench.f32>
  // CHECK: quench.dequantize %[[N]] : !quench.qtensor<32, #quench.f32> -> tensor<32xf32>
  %f = quench.dequantize %n : !quench.qtensor<32, #quench.f32> -> tensor<32xf32>
  return %f : tensor<32xf32>
}

// CHECK-LABEL: func.func @embedding
func.func @embedding(%ids: tensor<?xi32>, %w: !quench.qtensor<100x32, #quench.q8_0>) -> tensor<?x32xf32> {
  // CHECK: quench.embedding %{{.+}}, %{{.+}} : tensor<?xi32>, !quench.qtensor<100x32, #quench.q8_0> -> tensor<?x32xf32>
  %x = quench.embedding %ids, %w : tensor<?xi32>, !quench.qtensor<100x32, #quench.q8_0> -> tensor<?x32xf32>
  return %x : tensor<?x32xf32>
}

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<?x32xf32>, %v: !quench.qtensor<64x32, #quench.q4_1>, %w: !quench.qtensor<7x32, #quench.f16>) {
  // CHECK: quench.linear %{{.+}}, %{{.+}} : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
  %a = quench.linear %x, %v : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
  // f32 is the default, and not printed.
  // CHECK: quench.linear %{{.+}}, %{{.+}} : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
  %b = quench.linear %x, %v activations(f32) : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
  // CHECK: quench.linear %{{.+}}, %{{.+}}, %{{.+}} activations(i8) {tag} : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1>, !quench.qtensor<7x32, #quench.f16> -> tensor<?x64xf32>, tensor<?x7xf32>
  %c:2 = quench.linear %x, %v, %w activations(i8) {tag} : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1>, !quench.qtensor<7x32, #quench.f16> -> tensor<?x64xf32>, tensor<?x7xf32>
  return
}

// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<2x32xf32>, %w: !quench.qtensor<32, #quench.f32>, %h: !quench.qtensor<8, #quench.f32>) {
  // CHECK: quench.rms_norm %{{.+}}, %{{.+}} eps(9.99999974E-6) : tensor<2x32xf32>, !quench.qtensor<32, #quench.f32>
  %a = quench.rms_norm %x, %w eps(1.0e-5) : tensor<2x32xf32>, !quench.qtensor<32, #quench.f32>
  // CHECK: quench.layer_norm %{{.+}}, %{{.+}} eps(0.000000e+00) : tensor<2x32xf32>, !quench.qtensor<32, #quench.f32>
  %b = quench.layer_norm %x, %w eps(0.0) : tensor<2x32xf32>, !quench.qtensor<32, #quench.f32>
  // CHECK: quench.layer_norm %{{.+}}, %{{.+}} bias(%{{.+}} : !quench.qtensor<32, #quench.f32>) eps(0.000000e+00) : tensor<2x32xf32>, !quench.qtensor<32, #quench.f32>
  %c = quench.layer_norm %x, %w bias(%w : !quench.qtensor<32, #quench.f32>) eps(0.0) : tensor<2x32xf32>, !quench.qtensor<32, #quench.f32>
  // CHECK: quench.rms_norm %{{.+}}, %{{.+}} eps(1.000000e+00) : tensor<2x32xf32>, !quench.qtensor<8, #quench.f32>
  %d = quench.rms_norm %x, %h eps(1.0) : tensor<2x32xf32>, !quench.qtensor<8, #quench.f32>
  return
}

// Frequencies are printed with as many digits as give the same number back.
// CHECK-LABEL: func.func @rope
func.func @rope(%x: tensor<?x32xf32>, %p: tensor<?xi32>) {
  // CHECK: quench.rope adjacent %{{.+}}, %{{.+}} dim(4) inv_freq([1.000000e+00, 0.00999999977]) : tensor<?x32xf32>, tensor<?xi32>
  %a = quench.rope adjacent %x, %p dim(4) inv_freq([1.0, 0.01]) : tensor<?x32xf32>, tensor<?xi32>
  // CHECK: quench.rope halves %{{.+}}, %{{.+}} dim(2) inv_freq([1.17549435E-38]) : tensor<?x32xf32>, tensor<?xi32>
  %b = quench.rope halves %x, %p dim(2) inv_freq([1.17549435E-38]) : tensor<?x32xf32>, tensor<?xi32>
  // CHECK: quench.rope halves %{{.+}}, %{{.+}} dim(16) inv_freq([1.000000e+00, 5.000000e-01]) : tensor<?x32xf32>, tensor<?xi32>
  %c = quench.rope halves %x, %p dim(16) inv_freq([1.0, 0.5]) : tensor<?x32xf32>, tensor<?xi32>
  return
}

!cache = !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16>

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<?x16xf32>, %k: tensor<?x8xf32>, %p: tensor<?xi32>, %kv: !cache, %m: tensor<?x?xi1>) {
  %layer = arith.constant 1 : index
  // CHECK: quench.attention %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} cache(%{{.+}} layer %{{.+}}) scale(3.535530e-01) : tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16> -> tensor<?x16xf32>
  %a = quench.attention %q, %k, %k, %p cache(%kv layer %layer) scale(0.353553) : tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, !cache -> tensor<?x16xf32>
  // CHECK: quench.attention {{.+}} scale(1.000000e+00) window(20) : tensor<?x16xf32>
  // CHECK: quench.attention {{.+}} cache(%{{.+}} layer %{{.+}}) sequences(%{{.+}} : tensor<?xi32>) mask(%{{.+}} : tensor<?x?xi1>) scale(1.000000e+00)
  %c = quench.attention %q, %k, %k, %p cache(%kv layer %layer) scale(1.0) window(20) : tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, !cache -> tensor<?x16xf32>
  %b = quench.attention %q, %k, %k, %p cache(%kv layer %layer) sequences(%p : tensor<?xi32>) mask(%m : tensor<?x?xi1>) scale(1.0) : tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, !cache -> tensor<?x16xf32>
  return
}

// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<?x64xf32>) {
  // CHECK: quench.quantize %{{.+}} : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  %q, %s, %z = quench.quantize %x : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  // CHECK: quench.argmax %{{.+}} : tensor<?x64xf32> -> tensor<?xi32>, tensor<?xf32>
  %i, %v = quench.argmax %x : tensor<?x64xf32> -> tensor<?xi32>, tensor<?xf32>
  return
}

// CHECK-LABEL: func.func @cache
func.func @cache(%t: tensor<?xi32>, %kv: !cache) {
  // CHECK: quench.positions %{{.+}}, %{{.+}} : tensor<?xi32>, !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16> -> tensor<?xi32>
  %p = quench.positions %t, %kv : tensor<?xi32>, !cache -> tensor<?xi32>
  // CHECK: %[[N:.+]] = quench.cache_length %{{.+}} : !quench.paged_cache
  %n = quench.cache_length %kv : !cache
  // CHECK: quench.cache_commit %{{.+}}, %[[N]] : !quench.paged_cache
  quench.cache_commit %kv, %n : !cache
  return
}

// CHECK-LABEL: func.func @speculation
func.func @speculation(%t: tensor<?xi32>, %k: index, %kv: !cache, %x: tensor<?x16xf32>) {
  // CHECK: %[[C:.+]] = quench.draft source(#quench.lookup) %{{.+}} limit(%{{.+}} : max 7) : tensor<?xi32> -> tensor<?xi32>
  %c = quench.draft source(#quench.lookup) %t limit(%k : max 7) : tensor<?xi32> -> tensor<?xi32>
  // CHECK: quench.draft source(#quench.model) %{{.+}} limit(%{{.+}} : max 1) caches(%{{.+}} : !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16>) {
  // CHECK-NEXT: ^bb0(%{{.+}}: tensor<?xi32>, %{{.+}}: tensor<?xi32>):
  // CHECK-NEXT: quench.yield %{{.+}} : tensor<?x16xf32>
  // CHECK-NEXT: } : tensor<?xi32> -> tensor<?xi32>
  %d = quench.draft source(#quench.model) %t limit(%k : max 1) caches(%kv : !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    quench.yield %x : tensor<?x16xf32>
  } : tensor<?xi32> -> tensor<?xi32>
  // CHECK: quench.verify %{{.+}}, %[[C]] rule(#quench.greedy) caches(%{{.+}} : !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16>) {
  // CHECK: quench.yield %{{.+}} : tensor<?x16xf32>
  // CHECK: } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  %r:4 = quench.verify %t, %c rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    quench.yield %x : tensor<?x16xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  // A greedy rule needs no more than best ids.
  // CHECK: quench.yield %{{.+}}, %{{.+}} : tensor<?xi32>, tensor<?xf32>
  %s:4 = quench.verify %t, %c rule(#quench.greedy) caches(%kv, %kv : !cache, !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    %ids, %best = quench.argmax %x : tensor<?x16xf32> -> tensor<?xi32>, tensor<?xf32>
    quench.yield %ids, %best : tensor<?xi32>, tensor<?xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return
}
