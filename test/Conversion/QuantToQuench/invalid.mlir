// What the dialect cannot represent is refused, with the reason.
// RUN: quench-opt %s --split-input-file --verify-diagnostics --convert-quant-to-quench=weights=%t.safetensors

// Weights have no bytes of their own in a function's argument.
func.func @argument(%q: tensor<2x32x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x32xf32> {
  // expected-error @+1 {{expected a constant weight (quant.scast of an arith.constant): the dialect has no other quantized tensors}}
  %w = quant.dcast %q : tensor<2x32x!quant.uniform<i8:f32, 0.5>> to tensor<2x32xf32>
  return %w : tensor<2x32xf32>
}

// -----

// expected-error @+1 {{has a quant type that is no constant weight: the dialect quantizes activations inside quench.linear only}}
func.func private @declared(tensor<2x32x!quant.uniform<i8:f32, 0.5>>)

// -----

func.func @activation(%x: tensor<2x32xf32>) {
  // expected-error @+1 {{has a quant type that is no constant weight: the dialect quantizes activations inside quench.linear only}}
  %q = quant.qcast %x : tensor<2x32xf32> to tensor<2x32x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @rank() -> tensor<2x2x32xf32> {
  %c = arith.constant dense<1> : tensor<2x2x32xi8>
  %q = quant.scast %c : tensor<2x2x32xi8> to tensor<2x2x32x!quant.uniform<i8:f32, 0.5>>
  // expected-error @+1 {{cannot be stored in a format of the dialect: expected a weight of rank 1 or 2, got 'tensor<2x2x32x!quant.uniform<i8:f32, 5.000000e-01>>'}}
  %w = quant.dcast %q : tensor<2x2x32x!quant.uniform<i8:f32, 0.5>> to tensor<2x2x32xf32>
  return %w : tensor<2x2x32xf32>
}

// -----

func.func @expressed() -> tensor<2x32xf16> {
  %c = arith.constant dense<1> : tensor<2x32xi8>
  %q = quant.scast %c : tensor<2x32xi8> to tensor<2x32x!quant.uniform<i8:f16, 0.5>>
  // expected-error @+1 {{expected f32 as the expressed type, got 'f16'}}
  %w = quant.dcast %q : tensor<2x32x!quant.uniform<i8:f16, 0.5>> to tensor<2x32xf16>
  return %w : tensor<2x32xf16>
}

// -----

func.func @bits() -> tensor<2x32xf32> {
  %c = arith.constant dense<1> : tensor<2x32xi16>
  %q = quant.scast %c : tensor<2x32xi16> to tensor<2x32x!quant.uniform<i16:f32, 0.5>>
  // expected-error @+1 {{expected codes of 4 or 8 bits, got 16}}
  %w = quant.dcast %q : tensor<2x32x!quant.uniform<i16:f32, 0.5>> to tensor<2x32xf32>
  return %w : tensor<2x32xf32>
}

// -----

// A scale for each column is none for a block of a row.
func.func @columns() -> tensor<32x2xf32> {
  %c = arith.constant dense<1> : tensor<32x2xi8>
  %q = quant.scast %c : tensor<32x2xi8> to tensor<32x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
  // expected-error @+1 {{expected a scale for a multiple of 32 weights along the input features, got one for 1 of 2}}
  %w = quant.dcast %q : tensor<32x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>> to tensor<32x2xf32>
  return %w : tensor<32x2xf32>
}

// -----

func.func @short_blocks() -> tensor<1x32xf32> {
  %c = arith.constant dense<1> : tensor<1x32xi8>
  %q = quant.scast %c : tensor<1x32xi8> to tensor<1x32x!quant.uniform<i8:f32:{1:16}, {{0.5, 0.25}}>>
  // expected-error @+1 {{expected a scale for a multiple of 32 weights along the input features, got one for 16 of 32}}
  %w = quant.dcast %q : tensor<1x32x!quant.uniform<i8:f32:{1:16}, {{0.5, 0.25}}>> to tensor<1x32xf32>
  return %w : tensor<1x32xf32>
}

// -----

func.func @scale() -> tensor<2x32xf32> {
  %c = arith.constant dense<1> : tensor<2x32xi8>
  %q = quant.scast %c : tensor<2x32xi8> to tensor<2x32x!quant.uniform<i8:f32, 0.1>>
  // expected-error @+1 {{is not a number of f16; round-scales rounds to the nearest one}}
  %w = quant.dcast %q : tensor<2x32x!quant.uniform<i8:f32, 0.1>> to tensor<2x32xf32>
  return %w : tensor<2x32xf32>
}

// -----

func.func @code() -> tensor<32xf32> {
  %c = arith.constant dense<127> : tensor<32xi8>
  %q = quant.scast %c : tensor<32xi8> to tensor<32x!quant.uniform<i8:f32, 0.5:-1>>
  // expected-error @+1 {{code 127 with zero point -1 does not fit in the 8 bits of q8_0}}
  %w = quant.dcast %q : tensor<32x!quant.uniform<i8:f32, 0.5:-1>> to tensor<32xf32>
  return %w : tensor<32xf32>
}

// -----

func.func @any() -> tensor<32xf32> {
  %c = arith.constant dense<1> : tensor<32xi8>
  %q = quant.scast %c : tensor<32xi8> to tensor<32x!quant.any<i8:f32>>
  // expected-error @+1 {{expected uniform scales, got '!quant.any<i8:f32>'}}
  %w = quant.dcast %q : tensor<32x!quant.any<i8:f32>> to tensor<32xf32>
  return %w : tensor<32xf32>
}

// -----

func.func @resource() -> tensor<32xf32> {
  %c = arith.constant dense_resource<nothing> : tensor<32xi8>
  %q = quant.scast %c : tensor<32xi8> to tensor<32x!quant.uniform<i8:f32, 1.0>>
  // expected-error @+1 {{expected codes as dense elements or as a dense resource of i8}}
  %w = quant.dcast %q : tensor<32x!quant.uniform<i8:f32, 1.0>> to tensor<32xf32>
  return %w : tensor<32xf32>
}

// -----

func.func @nothing() -> tensor<64x0xf32> {
  %c = arith.constant dense<> : tensor<64x0xi8>
  %q = quant.scast %c : tensor<64x0xi8> to tensor<64x0x!quant.uniform<i8:f32, 0.25>>
  // expected-error @+1 {{expected a weight with elements, got}}
  %w = quant.dcast %q : tensor<64x0x!quant.uniform<i8:f32, 0.25>> to tensor<64x0xf32>
  return %w : tensor<64x0xf32>
}
