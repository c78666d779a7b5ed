// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-lower-speculation

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @draft_caches(%t: tensor<?xi32>, %k: index, %kv: !cache, %x: tensor<?xi32>, %y: tensor<?xf32>) {
  // expected-error @+1 {{has a lowering for one cache, got 2}}
  %0 = quench.draft source(#quench.model) %t limit(%k : max 7) caches(%kv, %kv : !cache, !cache) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    quench.yield %x, %y : tensor<?xi32>, tensor<?xf32>
  } : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @draft_logits(%t: tensor<?xi32>, %k: index, %kv: !cache, %x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected the region to yield best ids and logits; run quench-fuse-acceptance before}}
  %0 = quench.draft source(#quench.model) %t limit(%k : max 7) caches(%kv : !cache) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    quench.yield %x : tensor<?x8xf32>
  } : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @logits(%t: tensor<?xi32>, %kv: !cache, %x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected the region to yield best ids and logits; run quench-fuse-acceptance before}}
  %r:4 = quench.verify %t, %t rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    quench.yield %x : tensor<?x8xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return
}
