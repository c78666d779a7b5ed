// A format without a kernel is refused by name.
// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-assign-layout

func.func @linear(%x: tensor<?x256xf32>, %w: !quench.qtensor<8x256, #quench.q6_k>) {
  // expected-error @+1 {{'quench.linear' op has no kernel for a weight of format q6_k; supported here: f32, f16, bf16, q4_1, q8_0}}
  %0 = quench.linear %x, %w : tensor<?x256xf32>, !quench.qtensor<8x256, #quench.q6_k> -> tensor<?x8xf32>
  return
}

// -----

func.func @embedding(%t: tensor<?xi32>, %w: !quench.qtensor<8x32, #quench.q4_0>) {
  // expected-error @+1 {{'quench.embedding' op has no kernel for a weight of format q4_0; supported here: f32, f16, bf16, q4_1, q8_0}}
  %0 = quench.embedding %t, %w : tensor<?xi32>, !quench.qtensor<8x32, #quench.q4_0> -> tensor<?x32xf32>
  return
}

// -----

func.func @norm(%x: tensor<?x32xf32>, %w: !quench.qtensor<32, #quench.f16>) {
  // expected-error @+1 {{'quench.rms_norm' op has no kernel for a weight of format f16; supported here: f32}}
  %0 = quench.rms_norm %x, %w eps(0.0) : tensor<?x32xf32>, !quench.qtensor<32, #quench.f16>
  return
}

// -----

func.func @bias(%x: tensor<?x32xf32>, %w: !quench.qtensor<32, #quench.f32>, %b: !quench.qtensor<32, #quench.bf16>) {
  // expected-error @+1 {{'quench.layer_norm' op has no kernel for a weight of format bf16; supported here: f32}}
  %0 = quench.layer_norm %x, %w bias(%b : !quench.qtensor<32, #quench.bf16>) eps(0.0) : tensor<?x32xf32>, !quench.qtensor<32, #quench.f32>
  return
}

// -----

func.func @dequantize(%w: !quench.qtensor<32, #quench.q8_0>) {
  // expected-error @+1 {{'quench.dequantize' op has no kernel for a weight of format q8_0; supported here: f32}}
  %0 = quench.dequantize %w : !quench.qtensor<32, #quench.q8_0> -> tensor<32xf32>
  return
}
