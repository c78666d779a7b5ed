// A format without a kernel is refused by name.
// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-assign-layout

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
