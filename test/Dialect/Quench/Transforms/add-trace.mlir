// Names come from locations; functions that are called twice are copied once, and their tensors have numbers.
// RUN: quench-opt %s --quench-add-trace --symbol-dce | FileCheck %s

func.func private @layer(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}
// CHECK-COUNT-1: func.func private @trace.pair
func.func private @pair(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = call @layer(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("first")
  %1 = call @layer(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("second")
  return %1 : tensor<?x8xf32>
}
// Only rows of f32 are returned, and what was exported is not any more.
// CHECK: func.func @trace(%{{.+}}: tensor<?x8xf32>) -> (tensor<?x8xf32> {quench.name = "first"}, tensor<?x8xf32> {quench.name = "second"},
// CHECK-SAME: tensor<?x8xf32> {quench.name = "first.1"}, tensor<?x8xf32> {quench.name = "second.1"}) attributes {quench.entry}
// CHECK: return %[[A:.+]]#1, %[[A]]#0, %[[B:.+]]#1, %[[B]]#0
// CHECK-NOT: quench.entry
func.func @logits(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {quench.entry} {
  %0 = call @pair(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = call @pair(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %best, %value = quench.argmax %1 : tensor<?x8xf32> -> tensor<?xi32>, tensor<?xf32>
  return %1 : tensor<?x8xf32>
}
func.func @greedy(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {quench.entry} {
  return %x : tensor<?x8xf32>
}
