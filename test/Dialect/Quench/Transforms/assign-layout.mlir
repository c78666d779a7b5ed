// RUN: quench-opt %s --quench-assign-layout | FileCheck %s

// CHECK-LABEL: func.func @layouts
func.func @layouts(%t: tensor<?xi32>, %e: !quench.qtensor<100x32, #quench.q8_0>, %w: !quench.qtensor<8x32, #quench.q4_1>, %h: !quench.qtensor<8x32, #quench.bf16>, %v: !quench.qtensor<32, #quench.f32>) {
  // CHECK: quench.embedding {{.*}} {quench.layout = #quench.rows<8>}
  %x = quench.embedding %t, %e : tensor<?xi32>, !quench.qtensor<100x32, #quench.q8_0> -> tensor<?x32xf32>
  // CHECK: quench.rms_norm {{.*}} {quench.layout = #quench.plain}
  %n = quench.rms_norm %x, %v eps(0.0) : tensor<?x32xf32>, !quench.qtensor<32, #quench.f32>
  // CHECK: quench.layer_norm {{.*}} {quench.layout = #quench.plain}
  %m = quench.layer_norm %x, %v eps(0.0) : tensor<?x32xf32>, !quench.qtensor<32, #quench.f32>
  // CHECK: quench.dequantize {{.*}} {quench.layout = #quench.plain}
  %d = quench.dequantize %v : !quench.qtensor<32, #quench.f32> -> tensor<32xf32>
  // CHECK: quench.linear {{.*}} {quench.layout = #quench.rows<8>}
  %y:2 = quench.linear %n, %w, %h : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1>, !quench.qtensor<8x32, #quench.bf16> -> tensor<?x8xf32>, tensor<?x8xf32>
  // A choice made before stays.
  // CHECK: quench.linear {{.*}} {quench.layout = #quench.plain}
  %z = quench.linear %n, %w {quench.layout = #quench.plain} : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.q4_1> -> tensor<?x8xf32>
  return
}
