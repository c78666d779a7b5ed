// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-add-speculation=source=model

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
// expected-error @+1 {{speculation needs an entry point @draft.logits to draft with, found none}}
module {
  func.func @logits(%t: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> {
    %0 = call @head() : () -> tensor<?x64xf32>
    return %0 : tensor<?x64xf32>
  }
  func.func private @head() -> tensor<?x64xf32>
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @logits(%t: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> {
  %0 = call @head() : () -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
func.func private @head() -> tensor<?x64xf32>
// expected-error @+1 {{the draft's logits have type 'tensor<?x32xf32>', expected 'tensor<?x64xf32>' as in @logits: both choose from one vocabulary}}
func.func @draft.logits(%t: tensor<?xi32>, %kv: !cache) -> tensor<?x32xf32> {
  %0 = call @draft.head() : () -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
func.func private @draft.head() -> tensor<?x32xf32>

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @logits(%t: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> {
  %0 = call @head() : () -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
func.func private @head() -> tensor<?x64xf32>
// expected-error @+1 {{expected @draft.logits(tensor<?xi32>, cache) -> tensor<?xVxf32>}}
func.func @draft.logits(%t: tensor<?xi32>) -> tensor<?x64xf32> {
  %0 = call @head() : () -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
