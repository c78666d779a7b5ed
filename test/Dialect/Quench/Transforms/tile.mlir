// Ops and their producers go into one loop over tiles that threads share; tiles divide the domain.
// RUN: quench-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(quench-tile),canonicalize{disable-patterns=ForallOpSingleOrZeroIterationDimsFolder},cse)' | FileCheck %s

// 24 groups of 8 features: tiles of 4 groups, that is 32 features.
// CHECK-LABEL: func.func @matmul
// CHECK: scf.forall (%[[G:.+]]) = (0) to (24) step (4) shared_outs
// CHECK: tensor.extract_slice %{{.+}}[%[[G]], 0, 0] [4, 2, 160] [1, 1, 1] : tensor<24x2x160xi8> to tensor<4x2x160xi8>
// CHECK: quench.block_matmul {{.*}} -> tensor<?x32xf32>
// CHECK: } {mapping = [#quench.thread]}
func.func @matmul(%w: tensor<24x2x160xi8>, %x: tensor<?x64xf32>, %o: tensor<?x192xf32>) -> tensor<?x192xf32> {
  %0 = quench.block_matmul #quench.q4_1 weights(%w : tensor<24x2x160xi8>) acts(%x : tensor<?x64xf32>) outs(%o : tensor<?x192xf32>) -> tensor<?x192xf32>
  return %0 : tensor<?x192xf32>
}

// -----

// Of 10 groups 4 are no divisor: tiles of 2.
// CHECK-LABEL: func.func @divisor
// CHECK: scf.forall (%{{.+}}) = (0) to (10) step (2)
func.func @divisor(%w: tensor<10x2x160xi8>, %x: tensor<?x64xf32>, %o: tensor<?x80xf32>) -> tensor<?x80xf32> {
  %0 = quench.block_matmul #quench.q4_1 weights(%w : tensor<10x2x160xi8>) acts(%x : tensor<?x64xf32>) outs(%o : tensor<?x80xf32>) -> tensor<?x80xf32>
  return %0 : tensor<?x80xf32>
}

// -----

// A norm goes with the quantization that reads it, row by row.
// CHECK-LABEL: func.func @norm_quantize
// CHECK: scf.forall (%{{.+}}) in (%{{.+}}) shared_outs
// CHECK: quench.block_norm {{.*}} -> tensor<1x64xf32>
// CHECK: quench.block_quantize
// CHECK: } {mapping = [#quench.thread]}
// CHECK-NOT: scf.forall
// CHECK: return
func.func @norm_quantize(%x: tensor<?x64xf32>, %w: tensor<64xf32>, %n: tensor<?x64xf32>, %c: tensor<?x64xi8>, %s: tensor<?x2xf32>) -> (tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %0 = quench.block_norm rms eps(1.0) ins(%x, %w : tensor<?x64xf32>, tensor<64xf32>) outs(%n : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1:3 = quench.block_quantize ins(%0 : tensor<?x64xf32>) outs(%c, %s, %s : tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  return %1#0, %1#1, %1#2 : tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

// Element-wise arithmetic becomes linalg, takes the product along, and updates its operand in place.
// CHECK-LABEL: func.func @residual
// CHECK-SAME: (%[[R:[^:]+]]: tensor<?x64xf32>,
// CHECK: scf.forall (%{{.+}}) = (0) to (64) step (32) shared_outs(%[[OUT:.+]] = %[[R]])
// CHECK: %[[Y:.+]] = quench.block_matmul
// CHECK: %[[TILE:.+]] = tensor.extract_slice %[[OUT]]
// CHECK: linalg.generic {{.*}} ins(%[[Y]] : tensor<?x32xf32>) outs(%[[TILE]] : tensor<?x32xf32>)
// CHECK: arith.addf
func.func @residual(%r: tensor<?x64xf32>, %w: tensor<8x2x160xi8>, %x: tensor<?x64xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = quench.block_matmul #quench.q4_1 weights(%w : tensor<8x2x160xi8>) acts(%x : tensor<?x64xf32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = arith.addf %r, %0 : tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// -----

// The head goes with its best columns: one segment is one tile, whose origin is its place.
// CHECK-LABEL: func.func @argmax
// CHECK: scf.forall (%[[P:.+]]) in (3) shared_outs
// CHECK: %[[Y:.+]] = quench.block_matmul {{.*}} -> tensor<?x64xf32>
// CHECK: quench.block_argmax ins(%[[Y]] : tensor<?x64xf32>) segment(64) origin(%{{.+}})
// CHECK: scf.forall
// CHECK: quench.block_argmax_merge
func.func @argmax(%w: tensor<24x2x160xi8>, %x: tensor<?x64xf32>, %o: tensor<?x192xf32>, %v: tensor<?x3xf32>, %i: tensor<?x3xi32>, %bi: tensor<?xi32>, %bv: tensor<?xf32>) -> (tensor<?xi32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %0 = quench.block_matmul #quench.q4_1 weights(%w : tensor<24x2x160xi8>) acts(%x : tensor<?x64xf32>) outs(%o : tensor<?x192xf32>) -> tensor<?x192xf32>
  %1:2 = quench.block_argmax ins(%0 : tensor<?x192xf32>) segment(64) origin(%c0) outs(%v, %i : tensor<?x3xf32>, tensor<?x3xi32>) -> tensor<?x3xf32>, tensor<?x3xi32>
  %2:2 = quench.block_argmax_merge ins(%1#0, %1#1 : tensor<?x3xf32>, tensor<?x3xi32>) outs(%bi, %bv : tensor<?xi32>, tensor<?xf32>) -> tensor<?xi32>, tensor<?xf32>
  return %2#0, %2#1 : tensor<?xi32>, tensor<?xf32>
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 32, element = f16, slots = 8>
// Attention is divided into rows and heads, with the quantization of a head where 32 divides it; a head's number is its place.
// CHECK-LABEL: func.func @attend
// CHECK: scf.forall (%[[M:.+]], %[[H:.+]]) in (%{{.+}}, 4) shared_outs
// CHECK: quench.block_attend {{.*}} heads(%[[H]] group 4) {{.*}} -> tensor<1x32xf32>
// CHECK: quench.block_quantize
// CHECK: } {mapping = [#quench.thread, #quench.thread]}
func.func @attend(%q: tensor<?x128xf32>, %p: tensor<?xi32>, %kv: !cache, %l: index, %o: tensor<?x128xf32>, %c: tensor<?x128xi8>, %s: tensor<?x4xf32>) -> (tensor<?x128xi8>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %0 = quench.block_attend ins(%q, %p : tensor<?x128xf32>, tensor<?xi32>) cache(%kv layer %l : !cache) heads(%c0 group 4) scale(1.0) outs(%o : tensor<?x128xf32>) -> tensor<?x128xf32>
  %1:3 = quench.block_quantize ins(%0 : tensor<?x128xf32>) outs(%c, %s, %s : tensor<?x128xi8>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x128xi8>, tensor<?x4xf32>, tensor<?x4xf32>
  return %1#0, %1#1, %1#2 : tensor<?x128xi8>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f16, slots = 8>
// Keys are rotated on their way into the cache, by a table that lives as long as the row.
// CHECK-LABEL: func.func @append
// CHECK: scf.forall
// CHECK: quench.block_rope_table {{.*}} -> tensor<1x8xf32>
// CHECK: quench.block_rope {{.*}} -> tensor<1x8xf32>
// CHECK: quench.block_append ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x8xf32>, tensor<1x8xf32>, tensor<1xi32>)
// CHECK: } {mapping = [#quench.thread]}
// CHECK-NOT: scf.forall
// CHECK: return
func.func @append(%k: tensor<?x8xf32>, %p: tensor<?xi32>, %kv: !cache, %l: index, %t: tensor<?x8xf32>, %o: tensor<?x8xf32>) {
  %0 = quench.block_rope_table ins(%p : tensor<?xi32>) inv_freq([1.0, 1.0, 1.0, 1.0]) outs(%t : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = quench.block_rope halves dim(8) ins(%k, %0 : tensor<?x8xf32>, tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  quench.block_append ins(%1, %k, %p : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>) cache(%kv layer %l : !cache)
  return
}

// -----

// What makes whole rows goes with element-wise maths that reads it, row by row; so does the norm of heads with their rotation.
// CHECK-LABEL: func.func @rows
// CHECK: scf.forall (%{{.+}}) in (%{{.+}}) shared_outs
// CHECK: quench.block_embedding {{.*}} -> tensor<1x64xf32>
// CHECK: quench.block_norm {{.*}} -> tensor<1x64xf32>
// CHECK: arith.addf
// CHECK: } {mapping = [#quench.thread]}
// CHECK: scf.forall (%{{.+}}) in (%{{.+}}) shared_outs
// CHECK: quench.block_norm {{.*}} -> tensor<1x64xf32>
// CHECK: quench.block_rope halves
// CHECK: } {mapping = [#quench.thread]}
// CHECK-NOT: scf.forall
// CHECK: return
func.func @rows(%e: tensor<4x64x8xf32>, %ids: tensor<?xi32>, %x: tensor<?x64xf32>, %w: tensor<64xf32>, %h: tensor<16xf32>, %t: tensor<?x16xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = quench.block_embedding #quench.f32 weights(%e : tensor<4x64x8xf32>) rows(32) ids(%ids : tensor<?xi32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = quench.block_norm rms eps(1.0) ins(%x, %w : tensor<?x64xf32>, tensor<64xf32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %2 = arith.addf %0, %1 : tensor<?x64xf32>
  %3 = quench.block_norm rms eps(1.0) ins(%2, %h : tensor<?x64xf32>, tensor<16xf32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %4 = quench.block_rope halves dim(16) ins(%3, %t : tensor<?x64xf32>, tensor<?x16xf32>) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %4 : tensor<?x64xf32>
}
