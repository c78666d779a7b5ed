// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-add-speculation

// expected-error @+1 {{speculation needs an entry point @logits to verify with, found none}}
module {
}

// -----

// expected-error @+1 {{speculation needs an entry point @logits to verify with, found none}}
module {
  func.func private @logits(tensor<?xi32>) -> tensor<?x64xf32>
}

// -----

// Without a cache.
// expected-error @+1 {{expected @logits(tensor<?xi32>, cache) -> tensor<?xVxf32>, got '(tensor<?xi32>) -> tensor<?x64xf32>'}}
func.func @logits(%t: tensor<?xi32>) -> tensor<?x64xf32> {
  %0 = call @head() : () -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
func.func private @head() -> tensor<?x64xf32>

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
// The number of tokens must be open.
// expected-error @+1 {{expected @logits(tensor<?xi32>, cache) -> tensor<?xVxf32>}}
func.func @logits(%t: tensor<4xi32>, %kv: !cache) -> tensor<4x64xf32> {
  %0 = call @head() : () -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
func.func private @head() -> tensor<4x64xf32>

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
// expected-error @+1 {{expected @logits to have a single block}}
func.func @logits(%t: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> {
  %0 = call @head() : () -> tensor<?x64xf32>
  cf.br ^end
^end:
  return %0 : tensor<?x64xf32>
}
func.func private @head() -> tensor<?x64xf32>

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @logits(%t: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> {
  %true = arith.constant true
  %n = arith.constant 1 : index
  scf.if %true {
    // expected-error @+1 {{expected at the top of @logits, for its tokens}}
    quench.cache_commit %kv, %n : !cache
  }
  %0 = call @head() : () -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
func.func private @head() -> tensor<?x64xf32>

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @logits(%t: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> {
  %other = call @others() : () -> tensor<?xi32>
  // expected-error @+1 {{expected at the top of @logits, for its tokens}}
  %p = quench.positions %other, %kv : tensor<?xi32>, !cache -> tensor<?xi32>
  %0 = call @head() : () -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
func.func private @head() -> tensor<?x64xf32>
func.func private @others() -> tensor<?xi32>
