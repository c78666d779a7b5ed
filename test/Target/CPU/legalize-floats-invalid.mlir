// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-legalize-floats

func.func @sin(%x: f32) -> f32 {
  // expected-error @+1 {{'math.sin' op has no expansion into instructions for 'f32'; supported: math.exp of f32, absf}}
  %0 = math.sin %x : f32
  return %0 : f32
}

// -----

func.func @exp(%x: f64) -> f64 {
  // expected-error @+1 {{'math.exp' op has no expansion into instructions for 'f64'}}
  %0 = math.exp %x : f64
  return %0 : f64
}
