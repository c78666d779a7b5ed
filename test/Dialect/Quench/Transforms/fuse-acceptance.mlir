// RUN: quench-opt %s --quench-fuse-acceptance | FileCheck %s

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>

// Semantics: SPEC-3
// CHECK-LABEL: func.func @logits
// CHECK: ^bb0
// CHECK-NEXT: %[[I:.+]], %[[V:.+]] = quench.argmax %{{.+}} : tensor<?x64xf32> -> tensor<?xi32>, tensor<?xf32>
// CHECK-NEXT: quench.yield %[[I]], %[[V]] : tensor<?xi32>, tensor<?xf32>
func.func @logits(%t: tensor<?xi32>, %kv: !cache, %x: tensor<?x64xf32>) {
  %r:4 = quench.verify %t, %t rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    quench.yield %x : tensor<?x64xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return
}

// A region that yields best ids already stays.
// CHECK-LABEL: func.func @best
// CHECK-COUNT-1: quench.argmax
// CHECK-NOT: quench.argmax
// CHECK: return
func.func @best(%t: tensor<?xi32>, %kv: !cache, %x: tensor<?x64xf32>) {
  %r:4 = quench.verify %t, %t rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    %i, %v = quench.argmax %x : tensor<?x64xf32> -> tensor<?xi32>, tensor<?xf32>
    quench.yield %i, %v : tensor<?xi32>, tensor<?xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return
}

// A draft takes the best candidate.
// CHECK-LABEL: func.func @draft
// CHECK: ^bb0
// CHECK-NEXT: %[[I:.+]], %[[V:.+]] = quench.argmax
// CHECK-NEXT: quench.yield %[[I]], %[[V]] : tensor<?xi32>, tensor<?xf32>
func.func @draft(%t: tensor<?xi32>, %k: index, %kv: !cache, %x: tensor<?x64xf32>) {
  %c = quench.draft source(#quench.model) %t limit(%k : max 7) caches(%kv : !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    quench.yield %x : tensor<?x64xf32>
  } : tensor<?xi32> -> tensor<?xi32>
  return
}
