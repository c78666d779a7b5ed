// RUN: quench-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(quench-merge-linears))' | FileCheck %s

// Q, K and V become one op where the first stood; formats may differ.
// CHECK-LABEL: func.func @qkv
// CHECK-SAME: (%[[X:[^:]+]]: {{[^%]+}}, %[[Q:[^:]+]]: {{[^%]+}}, %[[K:[^:]+]]: {{[^%]+}}, %[[V:[^:]+]]:
// CHECK-NEXT: %[[R:.+]]:3 = quench.linear %[[X]], %[[Q]], %[[K]], %[[V]] activations(i8)
// CHECK-NEXT: arith.negf %[[R]]#0
// CHECK-NEXT: return %{{.+}}, %[[R]]#1, %[[R]]#2
func.func @qkv(%x: tensor<?x32xf32>, %q: !quench.qtensor<64x32, #quench.q4_1>, %k: !quench.qtensor<8x32, #quench.q8_0>, %v: !quench.qtensor<8x32, #quench.f16>)
    -> (tensor<?x64xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = quench.linear %x, %q activations(i8) : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
  %n = arith.negf %0 : tensor<?x64xf32>
  %1 = quench.linear %x, %k activations(i8) : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q8_0> -> tensor<?x8xf32>
  %2 = quench.linear %x, %v activations(i8) : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.f16> -> tensor<?x8xf32>
  return %n, %1, %2 : tensor<?x64xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// A merged op merges again, with its results in order.
// CHECK-LABEL: func.func @again
// CHECK-NEXT: %[[R:.+]]:3 = quench.linear
// CHECK-NEXT: return %[[R]]#2, %[[R]]#1, %[[R]]#0
func.func @again(%x: tensor<?x32xf32>, %w: !quench.qtensor<8x32, #quench.f32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0:2 = quench.linear %x, %w, %w : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.f32>, !quench.qtensor<8x32, #quench.f32> -> tensor<?x8xf32>, tensor<?x8xf32>
  %1 = quench.linear %x, %w : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.f32> -> tensor<?x8xf32>
  return %1, %0#1, %0#0 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Other rows, another mode, another attribute: apart.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-4: = quench.linear %{{[^,]+}}, %{{[^,]+}} {{(activations|\{|:)}}
// CHECK-NEXT: return
func.func @apart(%x: tensor<?x32xf32>, %y: tensor<?x32xf32>, %w: !quench.qtensor<8x32, #quench.q4_1>) {
  %0 = quench.linear %x, %w : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
  %1 = quench.linear %y, %w : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
  %2 = quench.linear %x, %w activations(i8) : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
  %3 = quench.linear %x, %w {quench.layout = #quench.rows<8>} : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
  return
}

// -----

// What both say stays said.
// CHECK-LABEL: func.func @attributes
// CHECK-NEXT: quench.linear %{{.+}}, %{{.+}}, %{{.+}} {quench.layout = #quench.rows<8>}
func.func @attributes(%x: tensor<?x32xf32>, %w: !quench.qtensor<8x32, #quench.q4_1>) {
  %0 = quench.linear %x, %w {quench.layout = #quench.rows<8>} : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
  %1 = quench.linear %x, %w {quench.layout = #quench.rows<8>} : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
  return
}

// -----

// A weight that is defined after the first op cannot be read there.
quench.weight @w {key = "w"} : !quench.qtensor<8x32, #quench.q4_1>
// CHECK-LABEL: func.func @late_weight
// CHECK: quench.linear
// CHECK: quench.get_weight
// CHECK: quench.linear
func.func @late_weight(%x: tensor<?x32xf32>, %v: !quench.qtensor<8x32, #quench.q4_1>) {
  %0 = quench.linear %x, %v : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
  %w = quench.get_weight @w : !quench.qtensor<8x32, #quench.q4_1>
  %1 = quench.linear %x, %w : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
// Regions are blocks like any other.
// CHECK-LABEL: func.func @in_region
// CHECK: ^bb0
// CHECK-NEXT: quench.linear %{{.+}}, %{{.+}}, %{{.+}} :
// CHECK-NEXT: quench.yield
func.func @in_region(%t: tensor<?xi32>, %kv: !cache, %x: tensor<?x32xf32>, %w: !quench.qtensor<8x32, #quench.q4_1>) {
  %r:4 = quench.verify %t, %t rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    %0 = quench.linear %x, %w : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
    %1 = quench.linear %x, %w : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
    quench.yield %1 : tensor<?x8xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return
}
