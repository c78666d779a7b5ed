// One case for each message about a type or an attribute.
// RUN: quench-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a format such as #quench.q4_1, got "q4_1"}}
func.func private @format(!quench.qtensor<32x32, "q4_1">)

// -----

// Semantics: SHAPE-2
// expected-error @+1 {{expected a weight of rank 1 or 2, got rank 3}}
func.func private @rank(!quench.qtensor<2x32x32, #quench.q4_1>)

// -----

// expected-error @+1 {{expected positive dimensions, got 0}}
func.func private @empty(!quench.qtensor<0x32, #quench.q4_1>)

// -----

// Semantics: SHAPE-2
// expected-error @+1 {{expected a last dimension divisible by the 32 elements of a q8_0 block, got 48}}
func.func private @partial_block(!quench.qtensor<2x48, #quench.q8_0>)

// -----

// expected-error @+1 {{expected a positive number of layers, got 0}}
func.func private @layers(!quench.paged_cache<layers = 0, heads = 1, dim = 8, element = f32, slots = 8>)

// -----

// expected-error @+1 {{expected a positive number of heads, got -1}}
func.func private @heads(!quench.paged_cache<layers = 1, heads = -1, dim = 8, element = f32, slots = 8>)

// -----

// expected-error @+1 {{expected a head dimension that is a multiple of 8, got 12}}
func.func private @dim(!quench.paged_cache<layers = 1, heads = 1, dim = 12, element = f32, slots = 8>)

// -----

// expected-error @+1 {{expected a number of slots that is a multiple of 8, got 4}}
func.func private @slots(!quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 4>)

// -----

// expected-error @+1 {{expected element type f32 or f16, got 'bf16'}}
func.func private @element(!quench.paged_cache<layers = 1, heads = 1, dim = 8, element = bf16, slots = 8>)

// -----

// A size that would overflow is no size.
// expected-error @+1 {{expected pages of at most 1073741824 bytes, got more}}
func.func private @page(!quench.paged_cache<layers = 4294967296, heads = 4294967296, dim = 8, element = f32, slots = 8>)

// -----

// expected-error @+1 {{expected 8 interleaved rows, got 4}}
func.func private @rows() attributes {layout = #quench.rows<4>}

// -----

func.func @word(%x: tensor<?x32xf32>, %p: tensor<?xi32>) {
  // expected-error @+1 {{expected one of adjacent, halves, got 'quarters'}}
  %0 = quench.rope quarters %x, %p dim(2) inv_freq([1.0]) : tensor<?x32xf32>, tensor<?xi32>
}

// -----

func.func @no_word(%x: tensor<?x32xf32>, %w: !quench.qtensor<8x32, #quench.f32>) {
  // expected-error @+1 {{expected one of f32, i8}}
  %0 = quench.linear %x, %w activations(8) : tensor<?x32xf32>, !quench.qtensor<8x32, #quench.f32> -> tensor<?x8xf32>
}

// -----

// expected-error @+1 {{expected a weight of at most 1125899906842624 bytes, got more}}
func.func @large(%w: !quench.qtensor<9223372036854775807x32, #quench.q8_0>) {
