// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-materialize-layout

func.func @no_layout(%x: tensor<?x64xf32>, %w: !quench.qtensor<8x64, #quench.f32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'quench.linear' op reads a weight but has no quench.layout; run quench-assign-layout before}}
  %0 = quench.linear %x, %w : tensor<?x64xf32>, !quench.qtensor<8x64, #quench.f32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

quench.weight @e {key = "e"} : !quench.qtensor<8x64, #quench.f32>
func.func @no_layout_symbol(%t: tensor<?xi32>) -> tensor<?x64xf32> {
  %e = quench.get_weight @e : !quench.qtensor<8x64, #quench.f32>
  // expected-error @+1 {{'quench.embedding' op reads a weight but has no quench.layout; run quench-assign-layout before}}
  %0 = quench.embedding %t, %e : tensor<?xi32>, !quench.qtensor<8x64, #quench.f32> -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

quench.weight @n {key = "n"} : !quench.qtensor<64, #quench.f32>
func.func @no_layout_norm(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %n = quench.get_weight @n : !quench.qtensor<64, #quench.f32>
  // expected-error @+1 {{'quench.rms_norm' op reads a weight but has no quench.layout; run quench-assign-layout before}}
  %0 = quench.rms_norm %x, %n eps(0.0) : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  return %0 : tensor<?x64xf32>
}

// -----

quench.weight @n {key = "n"} : !quench.qtensor<64, #quench.f32>
func.func @no_layout_dequantize() -> tensor<64xf32> {
  %n = quench.get_weight @n : !quench.qtensor<64, #quench.f32>
  // expected-error @+1 {{'quench.dequantize' op reads a weight but has no quench.layout; run quench-assign-layout before}}
  %0 = quench.dequantize %n : !quench.qtensor<64, #quench.f32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// expected-error @+1 {{a weight is read in two layouts, rows8 and plain, through one argument}}
func.func @conflict(%x: tensor<?x64xf32>, %w: !quench.qtensor<8x64, #quench.f32>) -> (tensor<8x64xf32>, tensor<?x8xf32>) {
  %0 = quench.dequantize %w {quench.layout = #quench.plain} : !quench.qtensor<8x64, #quench.f32> -> tensor<8x64xf32>
  %1 = quench.linear %x, %w {quench.layout = #quench.rows<8>} : tensor<?x64xf32>, !quench.qtensor<8x64, #quench.f32> -> tensor<?x8xf32>
  return %0, %1 : tensor<8x64xf32>, tensor<?x8xf32>
}

// -----

quench.weight @w {key = "w"} : !quench.qtensor<64, #quench.f32>
func.func @no_form(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{layout rows8 has no form for '!quench.qtensor<64, #quench.f32>'}}
  %w = quench.get_weight @w : !quench.qtensor<64, #quench.f32>
  %0 = quench.rms_norm %x, %w eps(0.0) {quench.layout = #quench.rows<8>} : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  return %0 : tensor<?x64xf32>
}

// -----

quench.weight @w {key = "w"} : !quench.qtensor<32x64, #quench.q8_0>
func.func @slice(%x: tensor<?x64xf32>) -> tensor<?x8xf32> {
  %w = quench.get_weight @w : !quench.qtensor<32x64, #quench.q8_0>
  // expected-error @+1 {{expected an offset that is a multiple of 8 in layout rows8, got 4}}
  %s = quench.slice %w[4] : !quench.qtensor<32x64, #quench.q8_0> -> !quench.qtensor<8x64, #quench.q8_0>
  %0 = quench.linear %x, %s {quench.layout = #quench.rows<8>} : tensor<?x64xf32>, !quench.qtensor<8x64, #quench.q8_0> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

quench.weight @w {key = "w"} : !quench.qtensor<8x64, #quench.f32>
func.func @dequantize() -> tensor<8x64xf32> {
  %w = quench.get_weight @w : !quench.qtensor<8x64, #quench.f32>
  // expected-error @+1 {{has no kernel for '!quench.qtensor<8x64, #quench.f32>' in layout rows8}}
  %0 = quench.dequantize %w {quench.layout = #quench.rows<8>} : !quench.qtensor<8x64, #quench.f32> -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

func.func private @external(!quench.qtensor<8x64, #quench.f32>)
func.func @external_callee(%w: !quench.qtensor<8x64, #quench.f32>) {
  // expected-error @+1 {{expected a callee with a body for a weight operand}}
  call @external(%w) : (!quench.qtensor<8x64, #quench.f32>) -> ()
  return
}

// -----

quench.weight @w {key = "w"} : !quench.qtensor<8x64, #quench.f32>
func.func private @external(!quench.qtensor<8x64, #quench.f32>)
func.func @external_callee_symbol() {
  %w = quench.get_weight @w : !quench.qtensor<8x64, #quench.f32>
  // expected-error @+1 {{expected a callee with a body for a weight operand}}
  call @external(%w) : (!quench.qtensor<8x64, #quench.f32>) -> ()
  return
}

// -----

func.func @returned(%w: !quench.qtensor<8x64, #quench.f32>) -> !quench.qtensor<8x64, #quench.f32> {
  // expected-error @+1 {{cannot use a weight: only model ops and calls can}}
  return %w : !quench.qtensor<8x64, #quench.f32>
}

// -----

quench.weight @w {key = "w"} : !quench.qtensor<8x64, #quench.f32>
func.func @selected(%c: i1, %x: tensor<?x64xf32>) -> tensor<8x64xf32> {
  %w = quench.get_weight @w : !quench.qtensor<8x64, #quench.f32>
  // expected-error @+1 {{cannot be given a layout}}
  %s = arith.select %c, %w, %w : !quench.qtensor<8x64, #quench.f32>
  %0 = quench.dequantize %s {quench.layout = #quench.plain} : !quench.qtensor<8x64, #quench.f32> -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

quench.weight @w {key = "w"} : !quench.qtensor<8x64, #quench.f32>
func.func @returned_symbol() -> !quench.qtensor<8x64, #quench.f32> {
  %w = quench.get_weight @w : !quench.qtensor<8x64, #quench.f32>
  // expected-error @+1 {{cannot use a weight: only model ops and calls can}}
  return %w : !quench.qtensor<8x64, #quench.f32>
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @sequences(%q: tensor<?x8xf32>, %p: tensor<?xi32>, %kv: !cache, %l: index) -> tensor<?x8xf32> {
  // expected-error @+1 {{has no kernel for several sequences on this target}}
  %0 = quench.attention %q, %q, %q, %p cache(%kv layer %l) sequences(%p : tensor<?xi32>) scale(1.0) : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, !cache -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func @mask(%q: tensor<?x8xf32>, %p: tensor<?xi32>, %m: tensor<?x?xi1>, %kv: !cache, %l: index) -> tensor<?x8xf32> {
  // expected-error @+1 {{has no kernel for a mask on this target}}
  %0 = quench.attention %q, %q, %q, %p cache(%kv layer %l) mask(%m : tensor<?x?xi1>) scale(1.0) : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, !cache -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
