// What cannot be followed is named.
// RUN: quench-opt %s --quench-add-trace --split-input-file --verify-diagnostics

// expected-error @below {{a trace needs an entry point @logits to follow, found none}}
module {
}

// -----

func.func @logits(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {quench.entry} {
  return %x : tensor<?x8xf32>
}
// expected-error @below {{the program has a symbol @trace already}}
func.func private @trace()

// -----

func.func private @leaf(%x: tensor<?x8xf32>) -> tensor<?x8xf32>
// expected-error @below {{expected a single block in what @logits calls}}
func.func private @trunk(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  cf.br ^bb1
^bb1:
  %y = call @leaf(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func @logits(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {quench.entry} {
  %y = call @trunk(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
