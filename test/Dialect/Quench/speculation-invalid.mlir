// One case for each message of the verifiers of positions, draft and verify.
// RUN: quench-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @positions(%t: tensor<3xi32>, %kv: !cache) {
  // expected-error @+1 {{expected as many positions as tokens ('tensor<3xi32>'), got 'tensor<2xi32>'}}
  %0 = quench.positions %t, %kv : tensor<3xi32>, !cache -> tensor<2xi32>
  return
}

// -----

func.func @draft_source(%t: tensor<?xi32>, %k: index) {
  // expected-error @+1 {{expected a draft source such as #quench.lookup, got "lookup"}}
  %0 = quench.draft source("lookup") %t limit(%k : max 7) : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

func.func @draft_limit(%t: tensor<?xi32>, %k: index) {
  // expected-error @+1 {{expected a limit between 1 and 7, got 8}}
  %0 = quench.draft source(#quench.lookup) %t limit(%k : max 8) : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

func.func @draft_no_limit(%t: tensor<?xi32>, %k: index) {
  // expected-error @+1 {{expected a limit between 1 and 7, got 0}}
  %0 = quench.draft source(#quench.lookup) %t limit(%k : max 0) : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

func.func @draft_static(%t: tensor<?xi32>, %k: index) {
  // expected-error @+1 {{result #0 must be 1D tensor of 32-bit signless integer of dynamic size, but got 'tensor<4xi32>'}}
  %0 = quench.draft source(#quench.lookup) %t limit(%k : max 4) : tensor<?xi32> -> tensor<4xi32>
  return
}

// -----

func.func @draft_region(%t: tensor<?xi32>, %k: index) {
  // expected-error @+1 {{expected a region for source model, got none}}
  %0 = quench.draft source(#quench.model) %t limit(%k : max 7) : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

// Semantics: SPEC-1
func.func @draft_no_region(%t: tensor<?xi32>, %k: index, %x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected no region for source lookup, got one}}
  %0 = quench.draft source(#quench.lookup) %t limit(%k : max 7) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    quench.yield %x : tensor<?x8xf32>
  } : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
// Semantics: SPEC-1
func.func @draft_caches(%t: tensor<?xi32>, %k: index, %kv: !cache) {
  // expected-error @+1 {{expected no caches for source lookup, got 1}}
  %0 = quench.draft source(#quench.lookup) %t limit(%k : max 7) caches(%kv : !cache) : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

func.func @draft_arguments(%t: tensor<?xi32>, %k: index, %x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected a region with two arguments of type tensor<?xi32> (tokens, positions), got ('tensor<?xi32>')}}
  %0 = quench.draft source(#quench.model) %t limit(%k : max 7) {
  ^bb0(%a: tensor<?xi32>):
    quench.yield %x : tensor<?x8xf32>
  } : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

func.func @draft_yield(%t: tensor<?xi32>, %k: index, %x: tensor<?x?xf32>) {
  // expected-error @+1 {{expected the region to yield logits (tensor<?xVxf32>) or best ids and logits (tensor<?xi32>, tensor<?xf32>), got ('tensor<?x?xf32>')}}
  %0 = quench.draft source(#quench.model) %t limit(%k : max 7) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    quench.yield %x : tensor<?x?xf32>
  } : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

// A region that does not even end is an error, not a crash.
func.func @draft_empty_block(%t: tensor<?xi32>, %k: index) {
  // expected-error @+1 {{empty block: expect at least a terminator}}
  %0 = quench.draft source(#quench.model) %t limit(%k : max 7) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
  } : tensor<?xi32> -> tensor<?xi32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @verify_rule(%t: tensor<?xi32>, %kv: !cache, %x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected an acceptance rule such as #quench.greedy, got #quench.lookup}}
  %0:4 = quench.verify %t, %t rule(#quench.lookup) caches(%kv : !cache) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    quench.yield %x : tensor<?x8xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return
}

// -----

func.func @verify_caches(%t: tensor<?xi32>, %x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected at least one cache}}
  %0:4 = "quench.verify"(%t, %t) <{rule = #quench.greedy}> ({
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    quench.yield %x : tensor<?x8xf32>
  }) : (tensor<?xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @verify_static(%t: tensor<?xi32>, %kv: !cache, %x: tensor<?x8xf32>) {
  // expected-error @+1 {{result #1 must be 1D tensor of 32-bit float of dynamic size, but got 'tensor<8xf32>'}}
  %0:4 = quench.verify %t, %t rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    quench.yield %x : tensor<?x8xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<8xf32>, index, tensor<?xi32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @verify_arguments(%t: tensor<?xi32>, %kv: !cache, %x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected a region with two arguments of type tensor<?xi32> (tokens, positions), got ('tensor<?xi32>', 'index')}}
  %0:4 = quench.verify %t, %t rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%a: tensor<?xi32>, %b: index):
    quench.yield %x : tensor<?x8xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @verify_terminator(%t: tensor<?xi32>, %kv: !cache, %x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected the region to end with quench.yield, got other.end}}
  %0:4 = quench.verify %t, %t rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    "other.end"(%x) : (tensor<?x8xf32>) -> ()
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @verify_yield(%t: tensor<?xi32>, %kv: !cache) {
  // expected-error @+1 {{expected the region to yield logits (tensor<?xVxf32>) or best ids and logits (tensor<?xi32>, tensor<?xf32>), got ('tensor<?xi32>')}}
  %0:4 = quench.verify %t, %t rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%a: tensor<?xi32>, %b: tensor<?xi32>):
    quench.yield %a : tensor<?xi32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return
}

// -----

func.func @yield_parent(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{expects parent op to be one of 'quench.draft, quench.verify'}}
  quench.yield %x : tensor<?x8xf32>
}
